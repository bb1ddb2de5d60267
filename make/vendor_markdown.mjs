// Writes static/vendor/markdown-it-VERSION.esm.js: markdown-it as npm has it, in one file with what it needs, but for its
// table of named characters: it imports static/markdown/entities.js instead (docs/adr/0071).
// `node make/vendor_markdown.mjs FOLDER`, a folder in which `npm install markdown-it@VERSION` was run.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

/** @type {typeof import("esbuild")} */
const { build } = createRequire(join(process.cwd(), "package.json"))("esbuild");

const [folder] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(folder, "node_modules/markdown-it/package.json"), "utf8"));

await build({
  absWorkingDir: resolve(folder),
  stdin: { contents: 'export { default } from "markdown-it";', resolveDir: resolve(folder) },
  outfile: resolve(`static/vendor/markdown-it-${version}.esm.js`),
  banner: { js: `/*! markdown-it ${version} https://github.com/markdown-it/markdown-it @license MIT */` },
  bundle: true,
  format: "esm",
  target: "es2023",
  minifySyntax: true,
  plugins: [
    {
      name: "own-entities",
      setup({ onResolve }) {
        onResolve({ filter: /^entities$/ }, () => ({ path: "../markdown/entities.js", external: true }));
      },
    },
  ],
});
