// @ts-check
/**
 * Which stretches of a code are comments, strings, numbers, keywords and names: enough to colour it, far from a parser.
 * Pure, and loaded when the first code is shown. Every expression ends at a line or at the text, so that time grows with the text.
 */

/** @typedef {"comment" | "string" | "number" | "keyword" | "name"} Kind */
/** @typedef {{start: number, end: number, kind: Kind}} Token */
/** `word`: a keyword or a literal if it is in the list. @typedef {[Kind | "word" | "tag" | "skip", RegExp][]} Rules */
/** @typedef {{rules: Rules, keywords?: Set<string>, literals?: Set<string>, ignoresCase?: boolean, pattern?: RegExp}} Grammar */

/** Above it nothing is coloured. */
export const COLORED_CHARS = 50_000;

/** @param {string} text */
const words = (text) => new Set(text.split(" "));
const NUMBER =
  /(?<![\w$.])(?:0[xX][\da-fA-F_]+n?|0[bBoO][\d_]+n?|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?[nj]?)(?![\w$])/;
const DOUBLE = /"[^"\\\n]*(?:\\[^][^"\\\n]*)*"?/;
const SINGLE = /'[^'\\\n]*(?:\\[^][^'\\\n]*)*'?/;
const SLASHES = /\/\/.*/;
const STARS = /\/\*[^]*?(?:\*\/|$(?![^]))/;

/** @type {Grammar} */
const JSON_TEXT = {
  rules: [
    ["comment", SLASHES],
    ["name", /"[^"\\\n]*(?:\\[^][^"\\\n]*)*"(?=[ \t]*:)/],
    ["string", DOUBLE],
    ["number", /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/],
    ["word", /[A-Za-z_]\w*/],
  ],
  literals: words("true false null"),
};
/** @type {Grammar} */
const PYTHON = {
  rules: [
    ["comment", /#.*/],
    ["string", /\b[rbfuRBFU]{0,2}(?:"""[^]*?(?:"""|$(?![^]))|'''[^]*?(?:'''|$(?![^])))/],
    ["string", /(?:\b[rbfuRBFU]{1,2})?(?:"[^"\\\n]*(?:\\[^][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[^][^'\\\n]*)*'?)/],
    ["name", /@[\w.]+|(?<=\b(?:def|class) )\w+/],
    ["number", NUMBER],
    ["word", /[^\W\d]\w*/],
  ],
  keywords: words(
    "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
  ),
  literals: words("True False None self cls"),
};
/** @type {Grammar} */
const SCRIPT = {
  rules: [
    ["comment", SLASHES],
    ["comment", STARS],
    ["string", DOUBLE],
    ["string", SINGLE],
    ["string", /`[^`\\]*(?:\\[^][^`\\]*)*`?/],
    ["string", /(?<=[=(,:;!&|?{}[] {0,4}|\breturn )\/(?![*/])(?:[^/\\\n]|\\.){1,200}\/[a-z]*/],
    ["number", NUMBER],
    ["name", /@[\w.]+|(?<=\b(?:function|class|interface|type|enum) )[\w$]+/],
    ["word", /[A-Za-z_$][\w$]*/],
  ],
  keywords: words(
    "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let namespace never new number of private protected public readonly return satisfies set static string super switch this throw try type typeof unknown var void while with yield",
  ),
  literals: words("true false null undefined NaN Infinity"),
};
/** @type {Grammar} */
const SHELL = {
  rules: [
    ["comment", /(?<![^\s;|&(])#.*/],
    ["name", /\$\{[^}\n]*\}?|\$[\w?@#*!$-]+/],
    ["string", /"[^"\\]*(?:\\[^][^"\\]*)*"?/],
    ["string", /'[^']*'?/],
    ["number", /(?<=\s)--?[A-Za-z][\w-]*/],
    ["word", /[A-Za-z_][\w-]*/],
  ],
  keywords: words(
    "if then elif else fi for in do done while until case esac select function return export local readonly declare set unset alias source exit echo cd sudo curl",
  ),
  literals: words("true false"),
};
/** @type {Grammar} */
const TAG = {
  rules: [
    ["keyword", /^<\/?[\w:.-]+|\/?>$/],
    ["string", /"[^"]*"?|'[^']*'?/],
    ["name", /[\w:@.-]+/],
  ],
};
/** @type {Grammar} */
const MARKUP = {
  rules: [
    ["comment", /<!--[^]*?(?:-->|$(?![^]))/],
    ["comment", /<[!?][^>]*>?/],
    ["tag", /<\/?[A-Za-z](?:[^>"']|"[^"]*"|'[^']*')*>?/],
    ["number", /&#?\w{1,32};/],
  ],
};
/** @type {Grammar} */
const STYLE = {
  rules: [
    ["comment", STARS],
    ["string", DOUBLE],
    ["string", SINGLE],
    ["keyword", /@[\w-]+|!important\b/],
    ["name", /(?<=[{;/]\s{0,40})--?[\w-]+(?=\s{0,9}:)|(?<=[{;/]\s{0,40})[a-z][\w-]*(?=\s{0,9}:)/],
    ["number", /(?<![\w-])(?:#[\da-fA-F]{3,8}\b|-?(?:\d+(?:\.\d+)?|\.\d+)(?:%|[a-zA-Z]+)?)/],
    ["skip", /[\w-]+/],
  ],
};
/** @type {Grammar} */
const SQL = {
  rules: [
    ["comment", /--.*/],
    ["comment", STARS],
    ["string", /'[^']*(?:''[^']*)*'?/],
    ["name", /"[^"\n]*"?|`[^`\n]*`?/],
    ["number", NUMBER],
    ["word", /[A-Za-z_]\w*/],
  ],
  keywords: words(
    "add all alter and any as asc begin between by cascade case check column commit constraint create cross database default delete desc distinct drop else end except exists explain foreign from full group having if in index inner insert intersect into is join key left like limit not offset on or order outer over partition primary references returning right rollback select set table then transaction truncate union unique update using values view when where window with",
  ),
  literals: words(
    "true false null int integer bigint text varchar char boolean date timestamp numeric decimal float real serial json jsonb uuid",
  ),
  ignoresCase: true,
};
/** @type {Grammar} */
const YAML = {
  rules: [
    ["comment", /(?<!\S)#.*/],
    ["name", /(?=[^\s#:'"{}[\],&*!|>%@-])(?<=^[ \t]*(?:-[ \t]+)*)[^\n:#]*(?=:(?:[ \t]|$))/m],
    ["name", /"[^"\n]*"(?=:(?:[ \t]|$))|'[^'\n]*'(?=:(?:[ \t]|$))/m],
    ["string", DOUBLE],
    ["string", /'[^'\n]*(?:''[^'\n]*)*'?/],
    ["keyword", /(?<!\S)(?:[&*!][\w!./-]+|[|>][+-]?$|---$|\.\.\.$)/m],
    ["number", /(?<![^\s[,{])[+-]?(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![^\s\],}])/],
    ["word", /[^\s:,[\]{}#"']+/],
  ],
  literals: words("true false null yes no on off True False Null ~"),
};

/** Names as models write them. @type {Record<string, Grammar>} */
const GRAMMARS = Object.fromEntries(
  /** @type {[string, Grammar][]} */ ([
    ["json json5 jsonc jsonl ndjson", JSON_TEXT],
    ["python py python3 pyi", PYTHON],
    ["javascript js jsx mjs cjs typescript ts tsx node", SCRIPT],
    ["shell sh bash zsh console shell-session shellsession fish", SHELL],
    ["html xml svg xhtml vue rss htm", MARKUP],
    ["css scss less", STYLE],
    ["sql sqlite postgresql postgres mysql plsql", SQL],
    ["yaml yml", YAML],
  ]).flatMap(([names, grammar]) => names.split(" ").map((name) => [name, grammar])),
);

/**
 * The stretches of a code that have a colour, in order; none of a language that is not known.
 * @param {string} text @param {string} language @returns {Token[]}
 */
export function tokensOf(text, language) {
  const grammar = Object.hasOwn(GRAMMARS, language.toLowerCase()) ? GRAMMARS[language.toLowerCase()] : null;
  return grammar === null || text.length > COLORED_CHARS ? [] : scan(text, grammar, 0);
}

/** @param {string} text @param {Grammar} grammar @param {number} offset of the text in the whole @returns {Token[]} */
function scan(text, grammar, offset) {
  grammar.pattern ??= new RegExp(grammar.rules.map(([, { source }]) => `(${source})`).join("|"), "gm");
  /** @type {Token[]} */
  const tokens = [];
  for (const match of text.matchAll(grammar.pattern)) {
    const [whole, ...groups] = match;
    const [rule] = grammar.rules[groups.findIndex((group) => group !== undefined)];
    const start = offset + match.index;
    if (rule === "tag") tokens.push(...scan(whole, TAG, start));
    const kind = rule === "word" ? kindOfWord(whole, grammar) : rule;
    if (kind && kind !== "tag" && kind !== "skip") tokens.push({ start, end: start + whole.length, kind });
  }
  return tokens;
}

/** @param {string} word @param {Grammar} grammar @returns {Kind | null} */
function kindOfWord(word, { keywords, literals, ignoresCase = false }) {
  const known = ignoresCase ? word.toLowerCase() : word;
  return keywords?.has(known) ? "keyword" : literals?.has(known) ? "number" : null;
}
