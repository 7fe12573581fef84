import { isScalar, LineCounter, parseAllDocuments, type Document } from 'yaml';

/** One document of a file a hook wrote. */
export interface TextDocument {
  /** Counted from 1. */
  readonly number: number;
  /** Where it starts, counted from 1. */
  readonly line: number;
  readonly value: unknown;
}

/** A document, or what stands in its place, that cannot be read. */
export interface TextProblem {
  readonly number: number;
  readonly line: number;
  readonly message: string;
}

export interface TextDocuments {
  readonly documents: readonly TextDocument[];
  readonly problems: readonly TextProblem[];
}

/** Reads JSON documents that follow one another, with or without newlines between them. */
export function readJsonStream(text: string): TextDocuments {
  const documents: TextDocument[] = [];
  const problems: TextProblem[] = [];
  const lines = lineFinder(text);
  let number = 0;
  for (const { start, end } of splitJson(text)) {
    number += 1;
    const line = lines(start);
    try {
      documents.push({ number, line, value: JSON.parse(text.slice(start, end)) });
    } catch (error) {
      problems.push({ number, line, message: `cannot be read as JSON: ${messageOf(error)}` });
    }
  }
  return { documents, problems };
}

/** Reads a JSON stream or, where that is none, YAML documents. */
export function readDocuments(text: string): TextDocuments {
  const looksLikeJson = /^\s*[{[]/.test(text);
  if (!looksLikeJson) return readYaml(text);
  const json = readJsonStream(text);
  if (json.problems.length === 0) return json;
  const yaml = readYaml(text);
  // Broken JSON is broken YAML too; the author wants to hear of what he wrote.
  return yaml.problems.length > 0 ? json : yaml;
}

function readYaml(text: string): TextDocuments {
  const documents: TextDocument[] = [];
  const problems: TextProblem[] = [];
  const lineCounter = new LineCounter();
  let number = 0;
  for (const document of parseAllDocuments(text, { lineCounter, merge: true, prettyErrors: false })) {
    if (isEmpty(document)) continue;
    number += 1;
    const line = lineCounter.linePos(document.contents?.range?.[0] ?? document.range[0]).line;
    for (const error of document.errors) {
      const at = lineCounter.linePos(error.pos[0]).line;
      problems.push({ number, line: at, message: `cannot be read as YAML: ${error.message}` });
    }
    if (document.errors.length === 0) readYamlValue(document, { number, line }, { documents, problems });
  }
  return { documents, problems };
}

function readYamlValue(
  document: Document,
  place: { readonly number: number; readonly line: number },
  out: { readonly documents: TextDocument[]; readonly problems: TextProblem[] },
): void {
  try {
    const value: unknown = document.toJS();
    out.documents.push({ ...place, value });
  } catch (error) {
    out.problems.push({ ...place, message: `cannot be read as YAML: ${messageOf(error)}` });
  }
}

function isEmpty(document: Document): boolean {
  const { contents, errors } = document;
  return errors.length === 0 && (contents === null || (isScalar(contents) && contents.value === null));
}

/** Cuts at the end of each outermost value; text that is no value ends at the next white space. */
function* splitJson(text: string): Generator<{ readonly start: number; readonly end: number }> {
  const token = /\s+|[^\s]/gy;
  let position = 0;
  while (position < text.length) {
    token.lastIndex = position;
    const found = token.exec(text)?.[0] ?? '';
    if (found.trim() === '') {
      position += found.length;
      continue;
    }
    const end = found === '{' || found === '[' ? endOfNested(text, position) : endOfWord(text, position);
    yield { start: position, end };
    position = end;
  }
}

/** Behind the bracket that closes the one at `start`; the end of the text when none does. */
function endOfNested(text: string, start: number): number {
  const marks = /["{}[\]]/g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '"') marks.lastIndex = endOfString(text, mark.index);
    else depth += mark[0] === '{' || mark[0] === '[' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
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

/** Line numbers of growing offsets, in one pass over the text. */
function lineFinder(text: string): (offset: number) => number {
  let line = 1;
  let position = 0;
  return (offset) => {
    for (let next = text.indexOf('\n', position); next !== -1 && next < offset; next = text.indexOf('\n', position)) {
      line += 1;
      position = next + 1;
    }
    return line;
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
