/*
 * Reads YAML from untrusted sources, in a time that grows linearly with its length. Hook configs, patch files and
 * kubeconfigs are read here. The library has no limits on size, depth and the expansion of aliases, and compares each key
 * with every other; so a text is refused before parsing if it is too long or opens too many levels (`yaml-depth.ts`), and
 * keys and aliases are checked after parsing (`yaml-nodes.ts`). Problems are returned, never thrown.
 */

import { Composer, isAlias, isMap, isScalar, LineCounter, Parser, type Document, type Scalar } from 'yaml';
import { goTags, type GoDialect } from './go-yaml.ts';
import { shownText } from './shown.ts';
import { findDeep, isEndless, MAX_YAML_DEPTH } from './yaml-depth.ts';
import { checkNodes, MAX_PROBLEMS } from './yaml-nodes.ts';
import { messageOf } from './message-of.ts';

/** One document of a text: its value, or why it has none. */
export type YamlDocument =
  | { readonly type: 'value'; readonly line: number; readonly value: unknown }
  | { readonly type: 'broken'; readonly line: number; readonly problems: readonly YamlProblem[] };

/** A problem and its position; line and column are counted from 1. */
export interface YamlProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export interface YamlOptions {
  /** Limit of the text; default `MAX_YAML_CHARACTERS`. */
  readonly maxCharacters?: number;
  /** Which plain words are numbers, booleans and so on; absent: as in YAML 1.2. */
  readonly dialect?: GoDialect;
  /** Keys of the outermost mapping whose value is text: a number or a boolean is the text as it is written. */
  readonly texts?: ReadonlySet<string>;
}

/** Limit for a running operator: a megabyte takes about half a second, during which the event loop is blocked. */
const MAX_YAML_CHARACTERS = 2 * 1024 * 1024;

const TOO_DEEP: YamlDocument = {
  type: 'broken',
  line: 1,
  problems: [{ line: 1, column: 1, message: `nested deeper than ${MAX_YAML_DEPTH} levels` }],
};

/** Reads all documents of a text; an empty document has the value `null`. Never throws for what is in the text. */
export function readYaml(text: string, options: YamlOptions = {}): readonly YamlDocument[] {
  const { maxCharacters = MAX_YAML_CHARACTERS } = options;
  if (text.length > maxCharacters) {
    const message = `${text.length} characters, expected at most ${maxCharacters}; larger data can be written as JSON`;
    return [broken([{ line: 1, column: 1, message }])];
  }
  if (isEndless(text)) return [TOO_DEEP];
  const { stackTraceLimit } = Error;
  // The library creates an error for each problem, and a text may have a million of them.
  Error.stackTraceLimit = 0;
  try {
    return readDocuments(text, options);
  } catch (error) {
    // The library recurses for each level, and overflows the stack on a deep text.
    if (error instanceof RangeError) return [TOO_DEEP];
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function readDocuments(text: string, { dialect, texts }: YamlOptions): readonly YamlDocument[] {
  const lines = new LineCounter();
  const composer = new Composer({
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
    merge: true,
    ...(dialect !== undefined && { customTags: goTags(dialect) }),
  });
  const documents: YamlDocument[] = [];
  const add = (found: Iterable<Document.Parsed>): void => {
    for (const document of found) documents.push(readDocument(document, lines, texts));
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
  // Errors are attached to a document: if the text has none, an empty one is created.
  add(composer.end(errors > 0 && documents.length === 0, text.length));
  return documents;
}

function broken(problems: readonly YamlProblem[]): YamlDocument {
  return { type: 'broken', line: problems[0]?.line ?? 1, problems };
}

function problemAt(lines: LineCounter, offset: number, message: string): YamlProblem {
  const { line, col } = lines.linePos(Math.max(0, offset));
  // The line counter has no line for offset 0 yet.
  return { line: Math.max(1, line), column: Math.max(1, col), message: shownText(message, MAX_MESSAGE) };
}

const MAX_MESSAGE = 300;

function readDocument(document: Document.Parsed, lines: LineCounter, texts?: ReadonlySet<string>): YamlDocument {
  const { line } = problemAt(lines, document.contents?.range[0] ?? document.range[0], '');
  const problems = document.errors.slice(0, MAX_PROBLEMS).map(({ pos, message }) => problemAt(lines, pos[0], message));
  if (problems.length > 0) return { type: 'broken', line, problems };
  const found = checkNodes(document.contents);
  if (found.length > 0) {
    return { type: 'broken', line, problems: found.map(({ offset, message }) => problemAt(lines, offset, message)) };
  }
  if (texts !== undefined) keepTexts(document, texts);
  try {
    // Aliases are limited by their expanded size in `checkNodes`, not by their number.
    return { type: 'value', line, value: document.toJS({ maxAliasCount: -1 }) };
  } catch (error) {
    const message = messageOf(error);
    return { type: 'broken', line, problems: [problemAt(lines, document.range[0], message)] };
  }
}

function keepTexts(document: Document.Parsed, texts: ReadonlySet<string>): void {
  if (!isMap(document.contents)) return;
  for (const { key, value: node } of document.contents.items) {
    const isText = isScalar(key) && typeof key.value === 'string' && texts.has(key.value);
    const value = isAlias(node) ? node.resolve(document) : node;
    if (isText && isScalar(value)) keepText(value);
  }
}

function keepText(scalar: Scalar): void {
  if (scalar.value !== null && scalar.type === 'PLAIN') scalar.value = scalar.source ?? '';
}
