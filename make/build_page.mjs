// Builds the page of static/ into the folder named on the command line: `node make/build_page.mjs FOLDER`.
// One file each for the page, its worker, the probe and every section, minified, with source maps and compressed
// siblings; and a manifest that bridge/http/page_files.py reads.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

/** @typedef {import("esbuild").BuildOptions} BuildOptions */
/** @typedef {import("esbuild").Metafile} Metafile */
/** @typedef {import("esbuild").Plugin} Plugin */

const SOURCES = join(dirname(fileURLToPath(import.meta.url)), "..", "static");
const COPIED = ["index.html", "probe.html", "favicon.svg", "manifest.webmanifest"];
const PRELOADS = { "index.html": ["app.js", "executor_worker.js"], "probe.html": ["probe.js"] };
/** Modules that the worker loads when a call needs them: most have none. They share no class with its own file. */
const LOADED_LATER = ["executor/mcp_calls.js"];
/** Bytes below which compression does not save a packet. */
const WORTH_COMPRESSING = 400;
const DIGEST_CHARS = 16;

/** @type {BuildOptions} */
const COMMON = { absWorkingDir: SOURCES, bundle: true, format: "esm", target: "es2023", logLevel: "warning" };
/** @type {BuildOptions} */
const WRITTEN = { ...COMMON, minify: true, sourcemap: "linked", legalComments: "inline" };

/** Which modules are in which file. */
class Layout {
  /** @param {Metafile} metafile of the whole page */
  constructor({ inputs }) {
    this.inputs = inputs;
    const sections = Object.values(inputs).flatMap(({ imports }) => imports.filter(({ kind }) => kind === "dynamic-import"));
    /** Modules that are loaded when a section is opened. */
    this.sections = [...new Set(sections.map(({ path }) => path))];
    const reached = this.sections.flatMap((section) => [...this.#reachable(section)]);
    const shared = reached.filter((module, place) => reached.indexOf(module) !== place);
    /** What the page loads at once: what it begins with, and what two sections share, so that a section is one file. */
    this.core = new Set([...this.#reachable("app.js"), ...shared]);
  }

  /** Modules of the core that sections import, or that are sections and also part of another one. */
  get offered() {
    const others = Object.keys(this.inputs).filter((module) => !this.core.has(module));
    const imported = others.flatMap((module) => this.inputs[module]?.imports ?? []).map(({ path }) => path);
    return [...new Set([...imported, ...this.sections])].filter((module) => this.core.has(module)).sort();
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

/** @param {import("esbuild").OnResolveArgs} args @returns {string} the module's path below static/ */
const moduleOf = ({ resolveDir, path }) => relative(SOURCES, resolve(resolveDir, path));

/** Sections stay outside of the page's file. @type {Plugin} */
const leaveSections = {
  name: "leave-sections",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, (args) =>
      args.kind === "dynamic-import" ? { path: `./${sectionFile(moduleOf(args))}`, external: true } : undefined,
    );
  },
};

/** A section takes what is in the core from there. @param {Layout} layout @param {Map<string, string[]>} names @returns {Plugin} */
function takeFromCore(layout, names) {
  return {
    name: "take-from-core",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^CORE$/ }, () => ({ path: "../app.js", external: true }));
      onResolve({ filter: /\.js$/ }, (args) => {
        const path = moduleOf(args);
        return layout.core.has(path) ? { path, namespace: "core" } : undefined;
      });
      onLoad({ filter: /.*/, namespace: "core" }, ({ path }) => ({
        contents: `import { ${offeredName(layout, path)} as m } from "CORE";\nexport const { ${names.get(path)?.join(", ")} } = m;`,
        resolveDir: SOURCES,
      }));
    },
  };
}

/** @param {Layout} layout @param {string} module */
const offeredName = (layout, module) => `m${layout.offered.indexOf(module)}`;

/** @param {string[]} modules @returns {Promise<Map<string, string[]>>} what each exports */
async function readExports(modules) {
  const { metafile } = await build({ ...COMMON, bundle: false, entryPoints: modules, outdir: "out", outbase: SOURCES, write: false, metafile: true });
  return new Map(Object.values(metafile.outputs).map(({ entryPoint = "", exports }) => [entryPoint, exports]));
}

/** @param {string} folder */
async function writeScripts(folder) {
  const whole = await build({ ...COMMON, entryPoints: ["app.js"], outdir: "out", write: false, metafile: true });
  const layout = new Layout(whole.metafile);
  const offers = layout.offered.map((module) => `export * as ${offeredName(layout, module)} from "./${module}";`);
  const contents = ['import "./app.js";', ...offers].join("\n");
  const stdin = { contents, resolveDir: SOURCES, sourcefile: "page.js" };
  await build({ ...WRITTEN, stdin, outfile: join(folder, "app.js"), plugins: [leaveSections] });
  const plugins = [takeFromCore(layout, await readExports(layout.offered))];
  await build({ ...WRITTEN, entryPoints: layout.sections.map(sectionEntry), outdir: folder, plugins });
  await build({ ...WRITTEN, entryPoints: ["executor_worker.js"], outdir: folder, plugins: [leaveSections] });
  await build({ ...WRITTEN, entryPoints: LOADED_LATER.map(sectionEntry), outdir: folder });
  await build({ ...WRITTEN, entryPoints: ["probe.js", "style.css"], outdir: folder });
}

/** @param {string} folder */
function filesOf(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return found.map((each) => join(each.parentPath, each.name)).sort();
}

/** @param {string} file */
function compress(file) {
  const content = readFileSync(file);
  if (file.endsWith(".map") || content.length < WORTH_COMPRESSING) return;
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
