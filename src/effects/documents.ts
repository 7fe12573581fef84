import { shownText } from '../lib/shown.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import { readYaml, type YamlOptions } from '../lib/yaml.ts';
import { messageOf } from '../lib/message-of.ts';

/** One document of a file that a hook wrote. */
export interface TextDocument {
  /** Counted from 1. */
  readonly number: number;
  /** The line at which it starts, counted from 1. */
  readonly line: number;
  readonly value: unknown;
}

/** A part of the text that cannot be read as a document. */
export interface TextProblem {
  readonly number: number;
  readonly line: number;
  readonly message: string;
}

export interface TextDocuments {
  readonly documents: readonly TextDocument[];
  readonly problems: readonly TextProblem[];
}

/** How values are read; the default is that of JSON and of YAML 1.2. */
export interface TextRules extends Pick<YamlOptions, 'dialect' | 'texts'> {
  /** Whether a number that JavaScript cannot hold is kept as its text. */
  readonly isExact?: boolean;
}

/** Reads JSON documents that follow one another, with or without newlines between them. */
export function readJsonStream(text: string, { isExact = false }: TextRules = {}): TextDocuments {
  const documents: TextDocument[] = [];
  const problems: TextProblem[] = [];
  const lines = lineFinder(text);
  let number = 0;
  for (const { start, end, isDeep } of splitJson(text)) {
    number += 1;
    const line = lines(start);
    if (problems.length === MAX_PROBLEMS) {
      problems.push({ number, line, message: 'the rest is not read, because there are too many problems before it' });
      break;
    }
    try {
      if (isDeep) throw new RangeError(`nested deeper than ${MAX_JSON_DEPTH} levels`);
      const part = text.slice(start, end);
      documents.push({ number, line, value: isExact ? parseExactJson(part) : JSON.parse(part) });
    } catch (error) {
      problems.push({ number, line, message: `cannot be read as JSON: ${shownText(messageOf(error), MAX_MESSAGE)}` });
    }
  }
  return { documents, problems };
}

/** A deeper value could be read, but not be serialized again. */
const MAX_JSON_DEPTH = 1000;
/** After this many broken documents the rest is not read, because each costs an exception. */
const MAX_PROBLEMS = 1000;
const MAX_MESSAGE = 300;

/** Reads a stream of JSON documents or, if the text is none, YAML documents. */
export function readDocuments(text: string, rules: TextRules = {}): TextDocuments {
  const looksLikeJson = /^\s*[{[]/.test(text);
  if (!looksLikeJson) return readYamlDocuments(text, rules);
  const json = readJsonStream(text, rules);
  if (json.problems.length === 0) return json;
  const yaml = readYamlDocuments(text, rules);
  // Broken JSON is broken YAML too: report it as the JSON that the author wrote.
  return yaml.problems.length > 0 ? json : yaml;
}

function readYamlDocuments(text: string, rules: TextRules): TextDocuments {
  const documents: TextDocument[] = [];
  const problems: TextProblem[] = [];
  let number = 0;
  for (const document of readYaml(text, rules)) {
    if (document.type === 'value' && document.value === null) continue;
    number += 1;
    if (document.type === 'value') documents.push({ number, line: document.line, value: document.value });
    else {
      const found = document.problems.map(({ line, message }) => ({
        number,
        line,
        message: `${NOT_YAML}: ${message}`,
      }));
      problems.push(...found);
    }
  }
  return { documents, problems };
}

const NOT_YAML = 'cannot be read as YAML';

interface JsonPart {
  readonly start: number;
  readonly end: number;
  /** Whether it is nested deeper than `MAX_JSON_DEPTH`. */
  readonly isDeep: boolean;
}

/**
 * Splits the text behind each top-level value; text that is no JSON value ends before the next white space, opening
 * bracket or quote.
 */
function* splitJson(text: string): Generator<JsonPart> {
  // The reader of shell-operator passes over commas between values.
  const token = /[^\s,]/g;
  let position = 0;
  for (;;) {
    token.lastIndex = position;
    const found = token.exec(text);
    if (found === null) return;
    const { index: start } = found;
    const isNested = found[0] === '{' || found[0] === '[';
    const part = isNested ? endOfNested(text, start) : { end: endOfWord(text, start), isDeep: false };
    yield { start, ...part };
    position = part.end;
  }
}

/** The offset behind the bracket that closes the one at `start`; the end of the text when none does. */
function endOfNested(text: string, start: number): Pick<JsonPart, 'end' | 'isDeep'> {
  const marks = /["{}[\]]/g;
  marks.lastIndex = start;
  let depth = 0;
  let isDeep = false;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') marks.lastIndex = endOfString(text, mark.index);
    else depth += mark[0] === '{' || mark[0] === '[' ? 1 : -1;
    isDeep ||= depth > MAX_JSON_DEPTH;
    if (depth === 0) return { end: marks.lastIndex, isDeep };
  }
  return { end: text.length, isDeep };
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - backslashes - 1] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function endOfWord(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  const end = /[\s{["]/g;
  end.lastIndex = start + 1;
  return end.exec(text)?.index ?? text.length;
}

/** Returns the line number of an offset, in one pass over the text; the offsets of successive calls must grow. */
function lineFinder(text: string): (offset: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (offset) => {
    for (; next !== -1 && next < offset; next = text.indexOf('\n', next + 1)) line += 1;
    return line;
  };
}
