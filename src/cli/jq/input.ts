import { JsonTextError, type JsonValue, parseJson } from '@hooklet/jq';
import { JsonSplitter, type JsonDocument } from '@hooklet/jq/stream';

/** A named stream of bytes; standard input has no name. */
export interface InputSource {
  readonly name: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** One input value of a program, and the source and line at which it ended. */
export interface JqInput {
  readonly value: JsonValue;
  readonly source: string | undefined;
  readonly line: number;
}

/** The input is not JSON; what follows the error is not read. */
export class JqInputError extends Error {
  override readonly name = 'JqInputError';
}

/** Yields the JSON documents of all sources in order, each as soon as it is complete. */
export async function* readJson(sources: AsyncIterable<InputSource>): AsyncGenerator<JqInput, void, void> {
  for await (const { name, chunks } of sources) {
    const splitter = new JsonSplitter();
    for await (const text of decode(chunks)) {
      for (const document of splitter.push(text)) yield parseDocument(document, name);
    }
    for (const document of splitter.end()) yield parseDocument(document, name);
  }
}

/** Yields the lines of all sources as strings. */
export async function* readLines(sources: AsyncIterable<InputSource>): AsyncGenerator<JqInput, void, void> {
  for await (const { name, chunks } of sources) {
    let rest = '';
    let line = 0;
    for await (const text of decode(chunks)) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const value of lines) {
        line += 1;
        yield { value, source: name, line };
      }
    }
    if (rest !== '') yield { value: rest, source: name, line };
  }
}

/** Reads the text of all sources as one string. */
export async function readText(sources: AsyncIterable<InputSource>): Promise<string> {
  let text = '';
  for await (const { chunks } of sources) {
    for await (const piece of decode(chunks)) text += piece;
  }
  return text;
}

async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function parseDocument({ text, firstLine, lastLine }: JsonDocument, source: string | undefined): JqInput {
  try {
    return { value: parseJson(text, firstLine, 'literals'), source, line: lastLine };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new JqInputError(error.message, { cause: error });
  }
}
