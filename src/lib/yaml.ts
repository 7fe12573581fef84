import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  type CST,
  type Document,
  type Node,
  type Pair,
  type ScalarTag,
} from 'yaml';
import { shown, shownText } from './shown.ts';

/**
 * YAML from anywhere, read in a time that grows with its length. What the library leaves open is bounded here: the size
 * and depth of a text, and what its aliases stand for. That a key comes twice is found here too, since the library
 * compares each key with each other.
 */

/** One document of a text: its value, or why it has none. */
export type YamlDocument =
  | { readonly type: 'value'; readonly line: number; readonly value: unknown }
  | { readonly type: 'broken'; readonly line: number; readonly problems: readonly YamlProblem[] };

/** What is wrong, and where; line and column are counted from 1. */
export interface YamlProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface YamlOptions {
  /** A longer text is not read; default `MAX_YAML_CHARACTERS`. */
  readonly maxCharacters?: number;
  /** Tags beside those of YAML 1.2. */
  readonly tags?: readonly ScalarTag[];
}

/** What an operator at work reads: a megabyte takes about half a second, in which nothing else is done. */
const MAX_YAML_CHARACTERS = 2 * 1024 * 1024;
export const MAX_YAML_DEPTH = 200;
/** The characters that the aliases of one document stand for. */
const MAX_ALIASED_CHARACTERS = 4 * 1024 * 1024;
/** Anchors and aliases of one document. */
const MAX_ANCHORS = 10_000;
/** So many problems of one document are told. */
const MAX_PROBLEMS = 100;

const TOO_DEEP: YamlDocument = {
  type: 'broken',
  line: 1,
  problems: [{ line: 1, column: 1, message: `nested deeper than ${MAX_YAML_DEPTH} levels` }],
};

/** Reads all documents of a text; empty ones have the value `null`. Depth is told, never thrown. */
export function readYaml(text: string, options: YamlOptions = {}): readonly YamlDocument[] {
  const { maxCharacters = MAX_YAML_CHARACTERS } = options;
  if (text.length > maxCharacters) {
    const message = `${text.length} characters, expected at most ${maxCharacters}; larger data can be written as JSON`;
    return [broken([{ line: 1, column: 1, message }])];
  }
  if (isEndless(text)) return [TOO_DEEP];
  const { stackTraceLimit } = Error;
  // The library makes an error for each problem, and a text may have a million of them.
  Error.stackTraceLimit = 0;
  try {
    return readDocuments(text, options);
  } catch (error) {
    // The library calls itself for each level, and ends where there is no room for more.
    if (error instanceof RangeError) return [TOO_DEEP];
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The library takes a kilobyte for each level before anybody can look at them. */
const MAX_OPEN = 10_000;
const MAX_MARKS = 1000;

/**
 * Whether so many brackets are open at once, or a line begins with so many marks of lists and keys, that no text means it.
 * Each looks at a character once: a regular expression would try again from each of them.
 */
function isEndless(text: string): boolean {
  return hasOpenBrackets(text) || hasMarkedLine(text);
}

function hasOpenBrackets(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length && open <= MAX_OPEN; at++) {
    const char = text[at];
    if (char === '[' || char === '{') open += 1;
    else if ((char === ']' || char === '}') && open > 0) open -= 1;
  }
  return open > MAX_OPEN;
}

function hasMarkedLine(text: string): boolean {
  let marks = 0;
  let isStart = true;
  for (let at = 0; at < text.length && marks <= MAX_MARKS; at++) {
    const char = text[at] ?? '';
    if (char === '\n') marks = 0;
    else if (isStart && isMark(char)) marks += 1;
    isStart = char === '\n' || (isStart && (isMark(char) || isBlank(char)));
  }
  return marks > MAX_MARKS;
}

function isMark(char: string): boolean {
  return char === '-' || char === '?';
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

function readDocuments(text: string, { tags = [] }: YamlOptions): readonly YamlDocument[] {
  const lines = new LineCounter();
  const composer = new Composer({
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    merge: true,
    customTags: (known) => [...tags, ...known],
  });
  const documents: YamlDocument[] = [];
  const add = (found: Iterable<Document.Parsed>): void => {
    for (const document of found) documents.push(readDocument(document, lines));
  };
  let errors = 0;
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    const deep = findDeep(token);
    if (deep !== undefined) {
      add(composer.end());
      return [...documents, broken([problemAt(lines, deep, `nested deeper than ${MAX_YAML_DEPTH} levels`)])];
    }
    add(composer.next(token));
    errors += token.type === 'error' ? 1 : 0;
    if (errors > MAX_PROBLEMS) break;
  }
  // Where there is nothing but errors, they need a document to be told of.
  add(composer.end(errors > 0 && documents.length === 0, text.length));
  return documents;
}

function broken(problems: readonly YamlProblem[]): YamlDocument {
  return { type: 'broken', line: problems[0]?.line ?? 1, problems };
}

function problemAt(lines: LineCounter, offset: number, message: string): YamlProblem {
  const { line, col } = lines.linePos(Math.max(0, offset));
  // The very first character has no line of its own in the counter.
  return { line: Math.max(1, line), column: Math.max(1, col), message: shownText(message, MAX_MESSAGE) };
}

const MAX_MESSAGE = 300;

/** The offset of a value that lies too deep; looked for without recursion, before what recurses sees it. */
function findDeep(token: CST.Token): number | undefined {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { depth } = next;
    if (depth > MAX_YAML_DEPTH) return next.token.offset;
    for (const inner of innerTokens(next.token)) open.push({ token: inner, depth: depth + 1 });
  }
  return undefined;
}

/** The collections right within a token; what is not one cannot hold any. */
function innerTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value].filter(isCollection);
  return isCollection(token) ? token.items.flatMap(({ key, value }) => [key, value]).filter(isCollection) : [];
}

function isCollection(
  token: CST.Token | null | undefined,
): token is CST.BlockMap | CST.BlockSequence | CST.FlowCollection {
  return token?.type === 'block-map' || token?.type === 'block-seq' || token?.type === 'flow-collection';
}

function readDocument(document: Document.Parsed, lines: LineCounter): YamlDocument {
  const { line } = problemAt(lines, document.contents?.range[0] ?? document.range[0], '');
  const problems = document.errors.slice(0, MAX_PROBLEMS).map(({ pos, message }) => problemAt(lines, pos[0], message));
  if (problems.length > 0) return { type: 'broken', line, problems };
  const found = checkNodes(document.contents);
  if (found.length > 0) {
    return { type: 'broken', line, problems: found.map(({ offset, message }) => problemAt(lines, offset, message)) };
  }
  try {
    // Aliases were counted above, by what they stand for and not by how many there are.
    return { type: 'value', line, value: document.toJS({ maxAliasCount: -1 }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { type: 'broken', line, problems: [problemAt(lines, document.range[0], message)] };
  }
}

interface Found {
  readonly offset: number;
  readonly message: string;
}

/** What the composer does not look at: keys that come twice or are no words, and what aliases stand for. */
function checkNodes(contents: Node | null): readonly Found[] {
  const check = new NodeCheck();
  check.weigh(contents);
  return check.found;
}

class NodeCheck {
  readonly found: Found[] = [];
  /** How many characters each anchor stands for, aliases within it written out. */
  readonly #weights = new Map<string, number>();
  #anchors = 0;
  #aliased = 0;

  /** The characters that `node` stands for. */
  weigh(node: unknown): number {
    if (isAlias(node)) return this.#weighAlias(node.source, offsetOf(node));
    const weight = this.#weighContent(node);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) {
      this.#count(offsetOf(node));
      this.#weights.set(anchor, weight);
    }
    return weight;
  }

  #weighContent(node: unknown): number {
    if (isMap(node)) return this.#weighMap(node.items);
    if (isSeq(node)) return node.items.reduce<number>((sum, item) => sum + this.weigh(item) + 1, 2);
    return isScalar(node) ? lengthOf(node.value) : 0;
  }

  #weighMap(pairs: readonly Pair[]): number {
    const keys = new Set<string>();
    let weight = 2;
    for (const { key, value } of pairs) {
      weight += this.weigh(key) + this.weigh(value) + 1;
      if (isScalar(key)) this.#checkKey(keys, key.value, offsetOf(key));
      else if (key !== null) this.#report(offsetOf(key), 'a key that is not a plain value');
    }
    return weight;
  }

  #checkKey(keys: Set<string>, value: unknown, offset: number): void {
    // Merge keys are symbols, and may come more than once.
    if (typeof value === 'symbol') return;
    const key = keyOf(value);
    if (keys.has(key)) this.#report(offset, `Map keys must be unique, ${shown(key)} comes twice`);
    keys.add(key);
  }

  #weighAlias(source: string, offset: number): number {
    this.#count(offset);
    const weight = this.#weights.get(source);
    if (weight === undefined) {
      this.#report(offset, `Unresolved alias (the anchor must be set before the alias): ${source}`);
      return 0;
    }
    const before = this.#aliased;
    this.#aliased += weight;
    if (before <= MAX_ALIASED_CHARACTERS && this.#aliased > MAX_ALIASED_CHARACTERS) {
      this.#report(offset, `aliases that stand for more than ${MAX_ALIASED_CHARACTERS} characters`);
    }
    return weight;
  }

  #count(offset: number): void {
    this.#anchors += 1;
    if (this.#anchors === MAX_ANCHORS + 1) this.#report(offset, `more than ${MAX_ANCHORS} anchors and aliases`);
  }

  #report(offset: number, message: string): void {
    if (this.found.length < MAX_PROBLEMS) this.found.push({ offset, message });
  }
}

/** The key as it is in an object. */
function keyOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : (JSON.stringify(value) ?? '');
}

function offsetOf(node: unknown): number {
  const hasRange = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node);
  return hasRange ? (node.range?.[0] ?? 0) : 0;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length + 2 : String(value).length;
}
