// Prints, as JSON, the texts of the modules named on the command line: `keys` that are looked up in a catalog (of t`…`, counted,
// formatCount), `sentences` with their codes (of said), `bare` texts, which look as if users read them and stand outside of all four, and
// `comments`.
const { readFileSync } = require("node:fs");
const acorn = require("internal/deps/acorn/acorn/dist/acorn");
const walk = require("internal/deps/acorn/acorn-walk/dist/walk");

/** A capital word, or several words in a row. */
const CAPITAL = /^\W*[A-Z][a-z]+/;
const WORDS = /[a-z]{2,},? [a-z]{2,}/i;
/** Arguments of these are for programs, or are texts already. */
const PROGRAMS = new Set([
  ...["addEventListener", "removeEventListener", "querySelector", "querySelectorAll", "closest", "matches", "getElementById", "append_key"],
  ...["readRecord", "writeRecord", "deleteRecord", "verbatim", "counted", "freshId", "RegExp", "set", "get", "has", "startsWith", "endsWith"],
  ...["includes", "split", "join", "setAttribute", "removeAttribute", "getAttribute", "Headers", "dispatchEvent", "CustomEvent", "Event"],
  ...["matchMedia", "getItem", "setItem", "Intl", "postMessage", "BroadcastChannel", "Worker", "said"],
]);
/** Properties whose values are for programs. */
const PROGRAM_PROPERTIES = new Set(["class", "role", "type", "for", "id", "name", "style", "key", "code", "method", "rel", "autocomplete", "inputmode"]);
const SINGULAR = 1;

const wordsOf = (node) => (node.type === "Literal" ? node.value : node.quasis.map(({ value }, index) => (index ? `{${index - 1}}` : "") + value.cooked).join(""));
const isText = (node) => (node.type === "Literal" ? typeof node.value === "string" : node.type === "TemplateLiteral");
const calleeOf = ({ callee, tag }) => (callee ?? tag)?.name ?? (callee ?? tag)?.property?.name;

/** Whether what stands here is for a program. */
function isForPrograms(node, parents) {
  const around = parents.slice(0, -1).reverse();
  const [parent] = around;
  if (parent.source === node || parent.key === node || (parent.property === node && parent.computed)) return true;
  if (parent.type === "SwitchCase" || (parent.type === "BinaryExpression" && /^[!=]=|^in$|^[<>]/.test(parent.operator))) return true;
  const owner = around.find(({ type }) => ["Property", "CallExpression", "NewExpression", "TaggedTemplateExpression", "ThrowStatement"].includes(type));
  if (!owner) return false;
  if (owner.type === "Property") return PROGRAM_PROPERTIES.has(owner.key.name ?? owner.key.value);
  if (owner.type === "TaggedTemplateExpression") return owner.quasi === node;
  return PROGRAMS.has(calleeOf(owner)) || (calleeOf(owner) === "el" && owner.arguments[0] === node);
}

function keysOf(node) {
  if (node.type === "TaggedTemplateExpression" && node.tag.name === "t") return [wordsOf(node.quasi)];
  if (node.type !== "CallExpression") return [];
  const words = node.arguments.filter(isText).map(wordsOf);
  const isConstant = node.arguments.filter(isText).every(({ expressions }) => !expressions?.length);
  if (calleeOf(node) === "counted") return isConstant ? [words.slice(0, 2).join("|")] : [];
  if (calleeOf(node) !== "formatCount" || words.length === 0) return [];
  return [`{0} ${words[0]}|{0} ${words[SINGULAR] ?? `${words[0]}s`}`];
}

function textsOf(file) {
  const keys = [];
  const sentences = [];
  const bare = [];
  const comments = [];
  const onComment = (_isBlock, words, _start, _end, { line }) => comments.push([words, line]);
  const tree = acorn.parse(readFileSync(file, "utf8"), { ecmaVersion: "latest", sourceType: "module", locations: true, onComment });
  walk.fullAncestor(tree, (node, _state, parents) => {
    if (node.type === "CallExpression" && calleeOf(node) === "said") sentences.push([...node.arguments.slice(0, 2).map(({ value }) => value), node.loc.start.line, node.loc.end.line]);
    for (const key of keysOf(node)) keys.push([key, node.loc.start.line, node.loc.end.line]);
    if (!isText(node) || isForPrograms(node, parents)) return;
    const words = wordsOf(node);
    if (CAPITAL.test(words) || WORDS.test(words)) bare.push([words, node.loc.start.line, node.start, node.end]);
  });
  return { file, keys, sentences, bare, comments };
}

process.stdout.write(JSON.stringify(process.argv.slice(2).map(textsOf)));
