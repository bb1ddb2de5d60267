/** The part of markdown-it 15.0.3 that the page uses: the parser, never its HTML renderer. */
export interface Token {
  readonly type: string;
  readonly tag: string;
  /** 1 opens, -1 closes, 0 stands alone. */
  readonly nesting: -1 | 0 | 1;
  /** First line and the line after the last one, of block tokens. */
  readonly map: [number, number] | null;
  readonly attrs: [string, string][] | null;
  readonly children: Token[] | null;
  readonly content: string;
  readonly info: string;
  readonly hidden: boolean;
  attrGet(name: string): string | null;
}
export interface Options {
  html?: boolean;
  linkify?: boolean;
  breaks?: boolean;
  maxNesting?: number;
}
export interface MarkdownIt {
  parse(text: string, environment: { references?: Record<string, unknown> }): Token[];
  validateLink(url: string): boolean;
  linkify: { set(options: { fuzzyLink?: boolean; fuzzyEmail?: boolean; fuzzyIP?: boolean }): unknown };
}
declare const createParser: (options: Options) => MarkdownIt;
export default createParser;
