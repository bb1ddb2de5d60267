// Prints, as JSON, where the modules named on the command line use an object by a key that is not written there: `tables`, constants
// that have a prototype, and `writes`, objects whose members are set, removed or looked for by such a key. What `dictionaryOf` made has
// no prototype; what is asked for by Object.hasOwn first is its own. Lists, whose keys are numbers, are told by the names of those.
const { readFileSync } = require("node:fs");
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
const walk = require("internal/deps/acorn/acorn-walk/dist/walk");

const CONSTANT = /^[A-Z][A-Z0-9_]*$/;
/** Of the user's keyboard. */
const KEYBOARD = /^(event\.)?key$/;
const NUMBERS = new Set(["index", "at", "number", "place", "first"]);

const isNumber = (key) => (key.type === "Identifier" && NUMBERS.has(key.name)) || key.type === "UpdateExpression" || (key.type === "BinaryExpression" && [key.left, key.right].some((part) => isNumber(part) || typeof part.value === "number"));
const isWritten = (key) => key.type === "Literal" || (key.type === "TemplateLiteral" && key.expressions.length === 0);
const isMade = (init) => init?.type === "CallExpression" && init.callee.name === "dictionaryOf";
const isFromEntries = (init) => init?.type === "CallExpression" && init.callee.property?.name === "fromEntries";
const isTable = (init) => init?.type === "ObjectExpression" || isFromEntries(init);

function usesOf(file) {
  const text = readFileSync(file, "utf8");
  const tree = acorn.parse(text, { ecmaVersion: "latest", sourceType: "module", locations: true });
  const [made, tables, uses] = [new Set(), new Set(), []];
  const wordsOf = ({ start, end }) => text.slice(start, end);
  walk.full(tree, (node) => {
    const bound = { VariableDeclarator: [node.id, node.init], PropertyDefinition: [node.key, node.value], AssignmentExpression: [node.left, node.right] }[node.type];
    if (!bound?.[0]) return;
    const name = wordsOf(bound[0]).replace(/^this\./, "");
    if (isMade(bound[1])) made.add(name);
    if (node.type === "VariableDeclarator" && CONSTANT.test(name) && isTable(bound[1])) tables.add(name);
  });
  walk.fullAncestor(tree, (node, _state, parents) => {
    const parent = parents.at(-2);
    if (node.type === "BinaryExpression" && node.operator === "in" && !isWritten(node.left) && node.left.type !== "PrivateIdentifier") uses.push([wordsOf(node.right), true, node]);
    if (node.type !== "MemberExpression" || !node.computed || isWritten(node.property) || isNumber(node.property)) return;
    const isWrite = (parent?.type === "AssignmentExpression" && parent.left === node) || (parent?.type === "UnaryExpression" && parent.operator === "delete");
    const isInline = node.object.type === "ObjectExpression" && !KEYBOARD.test(wordsOf(node.property));
    uses.push([isInline ? "{}" : wordsOf(node.object), isWrite, node]);
  });
  const found = uses.filter(([name]) => !made.has(name.replace(/^this\./, "")) && !text.includes(`Object.hasOwn(${name}, `));
  return found.filter(([name, isWrite]) => isWrite || name === "{}" || tables.has(name)).map(([name, , node]) => [file, node.loc.start.line, wordsOf(node)]);
}

process.stdout.write(JSON.stringify(process.argv.slice(2).flatMap(usesOf)));
