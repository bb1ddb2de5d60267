// Builds the page of static/ into the folder named on the command line: `node make/build_page.mjs FOLDER`.
// One file each for the page, its worker, the probe, every section and what sections share, minified, with compressed
// siblings; and a manifest that bridge/http/page_files.py reads.
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

const SOURCES = join(dirname(fileURLToPath(import.meta.url)), "..", "static");
const COPIED = ["index.html", "probe.html", "oauth.html", "favicon.svg", "manifest.webmanifest"];
const PRELOADS = { "index.html": ["app.js", "executor_worker.js"], "probe.html": ["probe.js"], "oauth.html": ["oauth_callback.js"] };
/** Modules that the worker loads when a call needs them: most have none. They share no class with its own file. */
const LOADED_LATER = ["executor/mcp_calls.js", "companion/companion_transport.js", "oauth/renewal.js"];
/** Sections whose modules, where others have them too, are in the page's own file: its longest way in. */
const FIRST = ["tools/tools_view.js"];
/** Bytes below which compression does not save a packet. */
const WORTH_COMPRESSING = 400;
const DIGEST_CHARS = 16;

/** @type {BuildOptions} */
const COMMON = { absWorkingDir: SOURCES, bundle: true, format: "esm", target: "es2023", logLevel: "warning" };
/** @type {BuildOptions} */
const WRITTEN = { ...COMMON, minify: true, legalComments: "inline" };

/** Which modules are in which file. */
class Layout {
  /** @param {Metafile} metafile of the whole page */
  constructor({ inputs }) {
    this.inputs = inputs;
    const sections = Object.values(inputs).flatMap(({ imports }) => imports.filter(({ kind }) => kind === "dynamic-import"));
    /** Modules that are loaded when a section is opened. */
    this.sections = [...new Set(sections.map(({ path }) => path))];
    const reached = this.sections.flatMap((section) => [...this.#reachable(section)]);
    const common = reached.filter((module, place) => reached.indexOf(module) !== place);
    const first = new Set(FIRST.flatMap((section) => [...this.#reachable(section)]));
    /** What the page loads at once: what it begins with, and what the first sections have in common with others. */
    this.core = new Set([...this.#reachable("app.js"), ...common.filter((module) => first.has(module))]);
    /** What only other sections have in common, so that a section is one file and this one, which come together. */
    this.shared = new Set(common.filter((module) => !this.core.has(module)));
  }

  /** Whether its section takes something from the shared file; what the worker loads has its own. @param {string} section */
  needsShared(section) {
    return !LOADED_LATER.includes(section) && [...this.#reachable(section)].some((module) => this.shared.has(module));
  }

  /** Modules of the core, or of the shared file, that are imported from outside of it, or are sections. @param {Set<string>} owner */
  offered(owner) {
    const others = Object.keys(this.inputs).filter((module) => !this.core.has(module) && !owner.has(module));
    const imported = others.flatMap((module) => this.inputs[module]?.imports ?? []).map(({ path }) => path);
    return [...new Set([...imported, ...this.sections])].filter((module) => owner.has(module)).sort();
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

const SHARED_FILE = "sections/shared.js";

/**
 * Sections stay outside of the file that loads them. One that needs the shared file is asked for together with it, or the
 * browser would wait for the one before it hears of the other.
 * @param {Layout} layout @param {Map<string, string[]>} names what sections export
 * @param {"./" | "../"} beside where the page's file is, seen from that one
 * @returns {Plugin}
 */
function leaveSections(layout, names, beside) {
  return {
    name: "leave-sections",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, (args) => {
        if (args.kind !== "dynamic-import") return undefined;
        if (args.namespace === "section") return { path: args.path, external: true };
        const path = moduleOf(args);
        return layout.needsShared(path) ? { path, namespace: "section" } : { path: `${beside}${sectionFile(path)}`, external: true };
      });
      onLoad({ filter: /.*/, namespace: "section" }, ({ path }) => ({
        contents: `const [m] = await Promise.all([import("${beside}${sectionFile(path)}"), import("${beside}${SHARED_FILE}")]);\nexport const { ${names.get(path)?.join(", ")} } = m;`,
        resolveDir: SOURCES,
      }));
    },
  };
}

/** A file of the page, and what is in it for others. @typedef {{modules: Set<string>, offered: string[], file: string}} Owner */

/** Modules that other files own are taken from there. @param {Owner[]} owners @param {Map<string, string[]>} names what modules export @returns {Plugin} */
function takeFromOwners(owners, names) {
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
        const contents = `import { ${offeredName(owner, path)} as m } from "OWNER${owner.file}";\nexport const { ${names.get(path)?.join(", ")} } = m;`;
        return { contents, resolveDir: SOURCES };
      });
    },
  };
}

/** @param {Owner} owner @param {string} module */
const offeredName = ({ offered }, module) => `m${offered.indexOf(module)}`;

/** @param {Owner} owner @param {string[]} begin @returns {import("esbuild").StdinOptions} its file, which offers what others take */
function writeOwner(owner, begin) {
  const offers = owner.offered.map((module) => `export * as ${offeredName(owner, module)} from "./${module}";`);
  return { contents: [...begin, ...offers].join("\n"), resolveDir: SOURCES, sourcefile: `offered_by_${basename(owner.file)}` };
}

/** @param {string[]} modules @returns {Promise<Map<string, string[]>>} what each exports */
async function readExports(modules) {
  const { metafile } = await build({ ...COMMON, bundle: false, entryPoints: modules, outdir: "out", outbase: SOURCES, write: false, metafile: true });
  return new Map(Object.values(metafile.outputs).map(({ entryPoint = "", exports }) => [entryPoint, exports]));
}

/** @param {string} folder */
async function writeScripts(folder) {
  const whole = await build({ ...COMMON, entryPoints: ["app.js"], outdir: "out", write: false, metafile: true });
  const layout = new Layout(whole.metafile);
  const [core, shared] = [
    { modules: layout.core, offered: layout.offered(layout.core), file: "../app.js" },
    { modules: layout.shared, offered: layout.offered(layout.shared), file: `./${basename(SHARED_FILE)}` },
  ];
  const names = await readExports([...new Set([...core.offered, ...shared.offered, ...layout.sections])]);
  const [apart, besidePage] = [leaveSections(layout, names, "./"), leaveSections(layout, names, "../")];
  const [fromCore, fromBoth] = [takeFromOwners([core], names), takeFromOwners([core, shared], names)];
  await build({ ...WRITTEN, stdin: writeOwner(core, ['import "./app.js";']), outfile: join(folder, "app.js"), plugins: [apart] });
  await build({ ...WRITTEN, stdin: writeOwner(shared, []), outfile: join(folder, SHARED_FILE), plugins: [besidePage, fromCore] });
  await build({ ...WRITTEN, entryPoints: layout.sections.map(sectionEntry), outdir: folder, plugins: [besidePage, fromBoth] });
  await build({ ...WRITTEN, entryPoints: ["executor_worker.js"], outdir: folder, plugins: [apart] });
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
