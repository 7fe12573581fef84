import { FilterError, UsageError } from '../errors.ts';
import type { CompiledFilter } from '../filter/compiled-filter.ts';
import { compileFilter } from '../filter/filter.ts';
import { JsonTextError, parseJson } from '../filter/jq/json-parse.ts';
import { JsonSplitter } from '../filter/jq/json-stream.ts';
import type { Filter } from '../hook/binding.ts';
import { readYaml } from '../lib/yaml.ts';

/** The world of a `filter` command. */
export interface FilterIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

const USAGE = 'usage: hooklet filter [--jsonpath] EXPRESSION < objects';

/** `hooklet filter` on the streams of this process. */
export async function filterCommand(args: readonly string[]): Promise<number> {
  return runFilter(args, {
    stdin: process.stdin,
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  });
}

/**
 * Applies an expression to each object on standard input, JSON or YAML, and prints one filterResult a line, as a hook
 * gets it; an object it fails on is a `null` and a message, and makes the exit code 1.
 */
export async function runFilter(args: readonly string[], io: FilterIo): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    io.stdout(`${USAGE}\n`);
    return 0;
  }
  const filter = compile(parseArguments(args));
  const objects = parseObjects(await readAll(io.stdin));
  let exitCode = 0;
  for (const [index, object] of objects.entries()) {
    const { result, error } = filter.apply(object);
    io.stdout(`${result}\n`);
    if (error === undefined) continue;
    io.stderr(`hooklet filter: object ${index + 1}${nameOf(object)}: ${error}\n`);
    exitCode = 1;
  }
  return exitCode;
}

function parseArguments(args: readonly string[]): Filter {
  const words: string[] = [];
  let type: Filter['type'] = 'jq';
  for (const [index, arg] of args.entries()) {
    if (arg === '--jsonpath') type = 'jsonPath';
    else if (arg === '--jq') type = 'jq';
    else if (arg === '--') {
      words.push(...args.slice(index + 1));
      break;
    } else if (arg.startsWith('--')) throw new UsageError(`filter: unknown option ${arg}; ${USAGE}`);
    else words.push(arg);
  }
  const [expression] = words;
  if (expression === undefined || words.length > 1) {
    throw new UsageError(`filter: takes one expression, received ${words.length}; ${USAGE}`);
  }
  return { type, expression };
}

function compile(filter: Filter): CompiledFilter {
  try {
    return compileFilter(filter);
  } catch (cause) {
    if (!(cause instanceof FilterError)) throw cause;
    throw new UsageError(`filter: ${cause.message}`, { cause });
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The objects of a JSON stream or of YAML documents; lists count as what is in them. */
function parseObjects(text: string): readonly unknown[] {
  const documents = /^\s*[[{]/.test(text) ? parseJsonDocuments(text) : parseYaml(text);
  return documents.flatMap(expandList);
}

function parseJsonDocuments(text: string): readonly unknown[] {
  const splitter = new JsonSplitter();
  try {
    return [...splitter.push(text), ...splitter.end()].map((document) => parseJson(document.text, document.firstLine));
  } catch (cause) {
    if (!(cause instanceof JsonTextError)) throw cause;
    throw new UsageError(`filter: standard input is not valid JSON: ${cause.message}`, { cause });
  }
}

function parseYaml(text: string): readonly unknown[] {
  return readYaml(text).flatMap((document) => {
    if (document.type === 'value') return document.value === null ? [] : [document.value];
    const problems = document.problems.map(
      ({ line, column, message }) => `${message} at line ${line}, column ${column}`,
    );
    throw new UsageError(`filter: standard input is not valid YAML: ${problems.join('; ')}`);
  });
}

function expandList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value) || !String(value['kind']).endsWith('List') || !Array.isArray(value['items'])) return [value];
  return value['items'];
}

/** ` (Pod default x)` for an object that says so. */
function nameOf(object: unknown): string {
  if (!isRecord(object) || !isRecord(object['metadata'])) return '';
  const { name, namespace } = object['metadata'];
  const words = [object['kind'], namespace, name].filter((word) => typeof word === 'string');
  return ` (${words.join(' ')})`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
