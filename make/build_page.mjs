// Builds the page of static/ into the folder named on the command line: `node make/build_page.mjs FOLDER`.
// One file each for the page, its worker, the probe and every section, and a few for what sections share, minified, with
// compressed siblings; and a manifest that bridge/http/page_files.py reads.
//
// esbuild is the one of the folder in which this runs: a clone may have its own for `make run` (make/clone_page.py).
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** @typedef {import("esbuild").BuildOptions} BuildOptions */
/** @typedef {import("esbuild").Metafile} Metafile */
/** @typedef {import("esbuild").Plugin} Plugin */

/** @type {typeof import("esbuild")} */
const { build } = createRequire(join(process.cwd(), "package.json"))("esbuild");

const ENTRY = "app.js";
const SOURCES = join(dirname(fileURLToPath(import.meta.url)), "..", "static");
/** @param {string} folder */
const picturesOf = (folder) => readdirSync(join(SOURCES, folder)).flatMap((name) => (name.endsWith(".svg") ? [`${folder}/${name}`] : []));
const COPIED = ["index.html", "probe.html", "oauth.html", "favicon.svg", "manifest.webmanifest", ...picturesOf("vendor"), ...picturesOf("drawings")];
const PRELOADS = { "index.html": ["app.js", "executor_worker.js"], "probe.html": ["probe.js"], "oauth.html": ["oauth_callback.js"] };
/** Modules that the worker loads when a call needs them: most have none. They share no class with its own file. */
const LOADED_LATER = ["executor/answer_news.js", "executor/mcp_calls.js", "companion/companion_transport.js", "oauth/renewal.js"];
/** Loaded by every view once it is connected, so that what it shares comes in one file. */
const ALWAYS = "servers/document_refresh.js";
/** Sections that most visits open: what sections share comes in one file for each set of these that needs it. */
const OFTEN = {
  start: ["servers/servers_view.js", "servers/startup_acceptance.js", "onboarding/onboarding.js"],
  tools: ["tools/tools_view.js"],
  try: ["tools/try_view.js"],
  calls: ["call_history/call_log_view.js"],
  connect: ["connect/connect_view.js"],
  chat: ["chat/chat_view.js"],
  turns: ["chat/turn_views.js"],
};
/** Bytes below which compression does not save a packet. */
const WORTH_COMPRESSING = 400;
const DIGEST_CHARS = 16;

/** @type {BuildOptions} */
const COMMON = { absWorkingDir: SOURCES, bundle: true, format: "esm", target: "es2023", logLevel: "warning" };
/** @type {BuildOptions} */
const WRITTEN = { ...COMMON, minify: true, legalComments: "inline" };

/** A file of the page, and the modules in it; names of what it offers begin with its key. @typedef {{file: string, key: string, modules: Set<string>, offered: string[]}} Owner */

/** Which modules are in which file. */
class Layout {
  /** @param {Metafile} metafile of the whole page */
  constructor({ inputs }) {
    this.inputs = inputs;
    const sections = Object.values(inputs).flatMap(({ imports }) => imports.filter(({ kind }) => kind === "dynamic-import"));
    /** Modules that are loaded when a section is opened. */
    this.sections = [...new Set(sections.map(({ path }) => path))];
    this.core = this.#own(ENTRY, "m", this.#reachable(ENTRY));
    /** Files of what sections share. A module takes only from files that all who need it load as well, so that none wait for each other. */
    this.shared = [...this.#groupShared()].map(([name, modules], place) => this.#own(`sections/${name}.js`, `m${place}_`, modules));
  }

  /** @returns {Owner[]} */
  get owners() {
    return [this.core, ...this.shared];
  }

  /** Files that a section needs beside its own; what the worker loads has its own. @param {string} section @returns {Owner[]} */
  sharedBy(section) {
    if (LOADED_LATER.includes(section)) return [];
    const needed = [...this.#reachable(section)];
    return this.shared.filter(({ modules }) => needed.some((module) => modules.has(module)));
  }

  /** @returns {Map<string, Set<string>>} modules of more than one section, by the name of their file */
  #groupShared() {
    const reached = this.sections.flatMap((section) => [...this.#reachable(section)]);
    const shared = reached.filter((module, place) => reached.indexOf(module) !== place && !this.core.modules.has(module));
    const always = this.#reachable(ALWAYS);
    const often = Object.entries(OFTEN).map(([name, sections]) => ({ name, modules: sections.map((section) => this.#reachable(section)) }));
    /** @type {Map<string, Set<string>>} */
    const groups = new Map();
    for (const module of new Set(shared)) {
      const names = often.filter(({ modules }) => modules.some((reached) => reached.has(module))).map(({ name }) => name);
      const group = always.has(module) ? "shared" : ["shared", ...(names.length > 0 ? names : ["seldom"])].join("_");
      groups.set(group, (groups.get(group) ?? new Set()).add(module));
    }
    return groups;
  }

  /** @param {string} file @param {string} key @param {Set<string>} modules @returns {Owner} */
  #own(file, key, modules) {
    const others = Object.keys(this.inputs).filter((module) => !modules.has(module));
    const imported = others.flatMap((module) => this.inputs[module]?.imports ?? []).map(({ path }) => path);
    return { file, key, modules, offered: [...new Set([...imported, ...this.sections])].filter((module) => modules.has(module)).sort() };
  }

  /** @param {string} entry */
  #reachable(entry) {
    const seen = new Set([entry]);
    for (const module of seen)
      for (const { path, kind } of this.inputs[module]?.imports ?? []) if (kind === "import-statement") seen.add(path);
    return seen;
  }
}

/** @param {string} section */
const sectionFile = (section) => `sections/${basename(section)}`;

/** @param {string} section */
const sectionEntry = (section) => ({ in: section, out: sectionFile(section).replace(/\.js$/, "") });

/** @param {{resolveDir: string, path: string}} args @returns {string} the module's path below static/ */
const moduleOf = ({ resolveDir, path }) => relative(SOURCES, resolve(resolveDir, path));

const LOADED = /\bimport\("(\.[^"]+)"\)/g;

/**
 * Sections stay outside of the file that loads them. One is asked for together with all that it shares, or the browser
 * would wait for the one before it hears of the others.
 * @param {Layout} layout @param {Map<string, string[]>} names what sections export
 * @param {string} beside the folder of the page's file, seen from that one
 * @returns {Plugin}
 */
function loadSections(layout, names, beside) {
  /** @param {string} section */
  const load = (section) => {
    const shared = layout.sharedBy(section);
    const owner = shared.find(({ modules }) => modules.has(section));
    const files = new Set([owner?.file ?? sectionFile(section), ...shared.map(({ file }) => file)]);
    const loads = [...files].map((file) => `import("${beside}${file}")`);
    if (loads.length === 1 && !owner) return loads[0];
    const members = (names.get(section) ?? []).map((name) => `${name}: m.${offeredName(owner, section, name)}`);
    return `Promise.all([${loads.join(", ")}]).then(([m]) => ${owner ? `({ ${members.join(", ")} })` : "m"})`;
  };
  return {
    name: "load-sections",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined));
      onLoad({ filter: /\.js$/, namespace: "file" }, ({ path }) => {
        /** @param {string} written @param {string} target */
        const replace = (written, target) => {
          const section = moduleOf({ resolveDir: dirname(path), path: target });
          return layout.sections.includes(section) || LOADED_LATER.includes(section) ? load(section) : written;
        };
        return { contents: readFileSync(path, "utf8").replace(LOADED, replace), resolveDir: dirname(path) };
      });
    },
  };
}

/** Modules that other files own are taken from there. @param {Owner[]} owners @param {Map<string, string[]>} names what modules export @param {string} beside @returns {Plugin} */
function takeFromOwners(owners, names, beside) {
  return {
    name: "take-from-owners",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^OWNER/ }, ({ path }) => ({ path: path.slice("OWNER".length), external: true }));
      onResolve({ filter: /\.js$/ }, (args) => {
        const path = moduleOf(args);
        return owners.some(({ modules }) => modules.has(path)) ? { path, namespace: "owned" } : undefined;
      });
      onLoad({ filter: /.*/, namespace: "owned" }, ({ path }) => {
        const owner = /** @type {Owner} */ (owners.find(({ modules }) => modules.has(path)));
        const taken = names.get(path)?.map((name) => `${offeredName(owner, path, name)} as ${name}`);
        return { contents: `export { ${taken?.join(", ")} } from "OWNER${beside}${owner.file}";`, resolveDir: SOURCES };
      });
    },
  };
}

const OFFERED = /\bm(?:\d+_)?\d+_[\w$]+/g;

/** One of its own for every export, in all files. @param {Owner | undefined} owner @param {string} module @param {string} name of an export */
const offeredName = (owner, module, name) => `${owner?.key}${owner?.offered.indexOf(module)}_${name}`;

/** @param {Owner} owner @param {Map<string, string[]>} names @param {(name: string) => boolean} isTaken @returns {import("esbuild").StdinOptions} its file, which offers what others take */
function writeOwner(owner, names, isTaken) {
  const begin = owner.modules.has(ENTRY) ? [`import "./${ENTRY}";`] : [];
  const offers = owner.offered.map((module) => {
    const given = names.get(module)?.map((name) => ({ name, as: offeredName(owner, module, name) }));
    const taken = given?.filter(({ as }) => isTaken(as)).map(({ name, as }) => `${name} as ${as}`);
    return `export { ${taken?.join(", ")} } from "./${module}";`;
  });
  return { contents: [...begin, ...offers].join("\n"), resolveDir: SOURCES, sourcefile: `offered_by_${basename(owner.file)}` };
}

/** @param {string[]} modules @returns {Promise<Map<string, string[]>>} what each exports */
async function readExports(modules) {
  const { metafile } = await build({ ...COMMON, bundle: false, entryPoints: modules, outdir: "out", outbase: SOURCES, write: false, metafile: true });
  return new Map(Object.values(metafile.outputs).map(({ entryPoint = "", exports }) => [entryPoint, exports]));
}

/** @param {string} folder @returns {Map<string, number>} how often its scripts name what a file offers: once where it is offered, and where it is taken */
function countUses(folder) {
  const uses = new Map();
  for (const file of filesOf(folder).filter((name) => name.endsWith(".js")))
    for (const [name] of readFileSync(file, "utf8").matchAll(OFFERED)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return uses;
}

/** @param {string} folder */
async function writeScripts(folder) {
  const whole = await build({ ...COMMON, entryPoints: [ENTRY], outdir: "out", write: false, metafile: true });
  const layout = new Layout(whole.metafile);
  const names = await readExports([...new Set([...layout.owners.flatMap(({ offered }) => offered), ...layout.sections])]);
  const [apart, besidePage] = [loadSections(layout, names, "./"), loadSections(layout, names, "../")];
  const alone = layout.sections.filter((section) => !LOADED_LATER.includes(section) && !layout.owners.some(({ modules }) => modules.has(section)));
  const fromAll = takeFromOwners(layout.owners, names, "../");
  await build({ ...WRITTEN, entryPoints: alone.map(sectionEntry), outdir: folder, plugins: [besidePage, fromAll] });
  /** @param {(name: string) => boolean} isTaken */
  const writeOwners = async (isTaken) => {
    for (const owner of layout.owners) {
      const fromOthers = takeFromOwners(layout.owners.filter((each) => each !== owner), names, "../");
      const plugins = owner === layout.core ? [apart] : [besidePage, fromOthers];
      await build({ ...WRITTEN, stdin: writeOwner(owner, names, isTaken), outfile: join(folder, owner.file), plugins });
    }
  };
  await writeOwners(() => true);
  const uses = countUses(folder);
  await writeOwners((name) => (uses.get(name) ?? 0) > 1);
  await build({ ...WRITTEN, entryPoints: ["executor_worker.js", "document_worker.js"], outdir: folder, plugins: [apart] });
  await build({ ...WRITTEN, entryPoints: LOADED_LATER.map(sectionEntry), outdir: folder });
  await build({ ...WRITTEN, entryPoints: ["appearance.js", "probe.js", "oauth_callback.js", "style.css"], outdir: folder, plugins: [apart] });
}

/** @param {string} folder */
function filesOf(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return found.map((each) => join(each.parentPath, each.name)).sort();
}

/** @param {string} file */
function compress(file) {
  const content = readFileSync(file);
  if (content.length < WORTH_COMPRESSING) return;
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(`${file}.br`, brotliCompressSync(content, options));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}

/** @param {string} folder @returns {string} the digest of all its files */
function digestOf(folder) {
  const digest = createHash("sha256");
  for (const file of filesOf(folder)) digest.update(`${relative(folder, file)}\n`).update(readFileSync(file));
  return digest.digest("hex").slice(0, DIGEST_CHARS);
}

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node make/build_page.mjs FOLDER");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await writeScripts(resolve(folder));
for (const name of COPIED) cpSync(join(SOURCES, name), join(folder, name));
const digest = digestOf(folder);
for (const file of filesOf(folder)) compress(file);
writeFileSync(join(folder, "manifest.json"), JSON.stringify({ digest, preloads: PRELOADS }));
