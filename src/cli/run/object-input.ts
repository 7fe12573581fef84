import { JsonTextError, parseJson } from '@hooklet/jq';
import { JsonSplitter } from '@hooklet/jq/stream';
import { UsageError } from '../../errors.ts';
import { readYaml } from '../../lib/yaml.ts';
import { isObject } from '../../lib/json-object.ts';

/** Reads a whole stream as text; rejects with a `UsageError` that names `source` for more than `max` characters. */
export async function readAll(
  chunks: AsyncIterable<string | Uint8Array>,
  { source, max }: { readonly source: string; readonly max: number } = { source: '', max: Infinity },
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > max) throw new UsageError(`${source} has more than ${max} characters`);
  }
  return text + decoder.decode();
}

/**
 * The objects of a stream of JSON or YAML documents, with lists replaced by their items. Throws a `UsageError` that
 * names `source` for text that is neither.
 */
export function parseObjects(text: string, source: string): readonly unknown[] {
  const documents = /^\s*[[{]/.test(text) ? parseJsonDocuments(text, source) : parseYaml(text, source);
  return documents.flatMap(expandList);
}

function parseJsonDocuments(text: string, source: string): readonly unknown[] {
  const splitter = new JsonSplitter();
  try {
    return [...splitter.push(text), ...splitter.end()].map((document) => parseJson(document.text, document.firstLine));
  } catch (cause) {
    if (!(cause instanceof JsonTextError)) throw cause;
    throw new UsageError(`${source} is not valid JSON: ${cause.message}`, { cause });
  }
}

function parseYaml(text: string, source: string): readonly unknown[] {
  return readYaml(text).flatMap((document) => {
    if (document.type === 'value') return document.value === null ? [] : [document.value];
    const problems = document.problems.map(
      ({ line, column, message }) => `${message} at line ${line}, column ${column}`,
    );
    throw new UsageError(`${source} is not valid YAML: ${problems.join('; ')}`);
  });
}

function expandList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || !String(value['kind']).endsWith('List') || !Array.isArray(value['items'])) return [value];
  return value['items'];
}
