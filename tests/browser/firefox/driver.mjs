// @ts-check
/**
 * Drives a Firefox by WebDriver BiDi, for tests in another language: a line of JSON on standard input is a command, a
 * line on standard output its answer, `{result}` or `{error}`. One after the other; the end of the input closes the browser.
 */

import readline from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import puppeteer from "puppeteer-core";

/** Milliseconds; a test that waits longer has failed. */
const PATIENCE = 20_000;

/** @type {import("puppeteer-core").Browser | undefined} */
let browser;
/** @type {import("puppeteer-core").Page[]} */
const pages = [];

/** @param {import("puppeteer-core").Page} page @returns {number} by which commands name it */
function numberOf(page) {
  page.setDefaultTimeout(PATIENCE);
  return pages.indexOf(page) >= 0 ? pages.indexOf(page) : pages.push(page) - 1;
}

/** @throws {Error} `launch` comes first */
function running() {
  if (!browser) throw new Error("No browser is running.");
  return browser;
}

/** Whether an expression is true in a page; a page that is being closed may never answer. @param {import("puppeteer-core").Page} page @param {string} condition */
const holds = (page, condition) => Promise.race([page.evaluate(condition).catch(() => false), pause(1000).then(() => false)]);

/** The page where this is true; puppeteer is not told the addresses of an extension's pages. @param {string} condition an expression */
async function findPage(condition) {
  const end = Date.now() + PATIENCE;
  while (Date.now() < end) for (const page of await running().pages()) if (await holds(page, condition)) return numberOf(page);
  throw new Error(`In no page is true: ${condition}.`);
}

/** A new tab; Firefox sometimes loses one that it opens while another one closes. @returns {Promise<import("puppeteer-core").Page>} */
async function openTab(tries = 5) {
  try {
    return await running().newPage();
  } catch (error) {
    if (tries === 1 || !String(error).includes("no such frame")) throw error;
    return openTab(tries - 1);
  }
}

/** For a page of an extension, of which puppeteer is not told that it is loaded. @param {import("puppeteer-core").Page} page @param {string} url */
async function showPage(page, url) {
  void page.goto(url).catch(() => undefined);
  await page.waitForFunction(`location.href === ${JSON.stringify(url)} && document.readyState === "complete"`);
}

/** A function, called with the argument, or an expression. @param {{script: string, argument: unknown}} command */
const written = ({ script, argument }) => (/^(async )?(\([^)]*\)|\w+) =>/.test(script) ? `(${script})(${JSON.stringify(argument)})` : script);

/** @type {Record<string, (command: any) => unknown>} */
const COMMANDS = {
  launch: async ({ path, preferences, args }) => {
    browser = await puppeteer.launch({ browser: "firefox", executablePath: path, extraPrefsFirefox: preferences, args, acceptInsecureCerts: true });
    return browser.version();
  },
  install: ({ folder }) => running().installExtension(folder),
  uninstall: ({ id }) => running().uninstallExtension(id),
  new: async () => numberOf(await openTab()),
  find: ({ condition }) => findPage(condition),
  goto: async ({ page, url }) => void (await pages[page].goto(url)),
  show: ({ page, url }) => showPage(pages[page], url),
  reload: async ({ page }) => void (await pages[page].reload()),
  close: ({ page }) => pages[page].close(),
  resize: ({ page, width, height }) => pages[page].setViewport({ width, height }),
  evaluate: async ({ page, ...command }) => (await pages[page].evaluate(written(command))) ?? null,
  wait: async ({ page, ...command }) => void (await pages[page].waitForFunction(written(command))),
  click: ({ page, selector }) => pages[page].locator(selector).click(),
  fill: ({ page, selector, text }) => pages[page].locator(selector).fill(text),
  screenshot: async ({ page, path }) => void (await pages[page].screenshot({ path })),
};

/** @param {string} line */
async function answer(line) {
  const command = JSON.parse(line);
  try {
    return { result: (await COMMANDS[command.do](command)) ?? null };
  } catch (error) {
    return { error: String(error) };
  }
}

for await (const line of readline.createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
await browser?.close();
