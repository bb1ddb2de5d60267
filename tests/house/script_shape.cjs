// Prints, as JSON, the functions (name, line, body lines), imports, exported classes and public names (exported
// functions, and methods of exported classes) of the modules named on the command line.
// The parser is the acorn inside Node (hence --expose-internals): nothing to install, same version as the lock.
const { readFileSync } = require("node:fs");
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
const walk = require("internal/deps/acorn/acorn-walk/dist/walk");

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

function nameOf(node, parents) {
  const parent = parents.at(-2);
  return (node.id ?? parent?.key ?? parent?.id ?? parent?.left?.property)?.name ?? `line ${node.loc.start.line}`;
}

function publicNamesOf({ declaration }) {
  if (declaration?.type === "FunctionDeclaration") return [declaration.id.name];
  if (declaration?.type === "VariableDeclaration")
    return declaration.declarations.filter(({ init }) => FUNCTIONS.has(init?.type)).map(({ id }) => id.name);
  if (declaration?.type !== "ClassDeclaration") return [];
  const methods = declaration.body.body.filter(({ type, kind, key }) => type === "MethodDefinition" && kind !== "constructor" && key.name && key.type === "Identifier");
  return methods.map(({ key }) => key.name);
}

function shapeOf(file) {
  const functions = [];
  const imports = [];
  const sourceType = file.endsWith(".cjs") ? "script" : "module";
  const tree = acorn.parse(readFileSync(file, "utf8"), { ecmaVersion: "latest", sourceType, locations: true });
  walk.fullAncestor(tree, (node, _state, parents) => {
    if (FUNCTIONS.has(node.type)) {
      const { start, end } = node.body.loc;
      functions.push([nameOf(node, parents), node.loc.start.line, Math.max(1, end.line - start.line - 1)]);
    }
    if (typeof node.source?.value === "string") imports.push(node.source.value);
  });
  const exported = tree.body.filter(({ type }) => type === "ExportNamedDeclaration");
  const classes = exported.flatMap(({ declaration }) => (declaration?.type === "ClassDeclaration" ? [declaration.id.name] : []));
  return { file, functions, imports, classes, public_names: exported.flatMap(publicNamesOf) };
}

process.stdout.write(JSON.stringify(process.argv.slice(2).map(shapeOf)));
