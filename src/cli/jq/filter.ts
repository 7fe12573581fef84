import { FilterError, UsageError } from '../../errors.ts';
import type { CompiledFilter, FilterInput } from '../../filter/compiled-filter.ts';
import { openFilters, type Filters } from '../../filter/filters.ts';
import type { Filter } from '../../hook/binding.ts';
import { parseObjects, readAll } from '../run/object-input.ts';
import { isObject } from '../../lib/json-object.ts';

/** The streams of a `filter` command. */
export interface FilterIo {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

const USAGE = 'usage: hooklet filter [--jsonpath] EXPRESSION < objects';

/** `hooklet filter` with the streams of this process; resolves to the exit code. */
export async function filterCommand(args: readonly string[]): Promise<number> {
  return runFilter(args, {
    stdin: process.stdin,
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  });
}

/**
 * Applies an expression to each object on standard input, JSON or YAML, and prints one filterResult per line, as a hook
 * gets it. For an object on which the filter fails, prints `null` and a message, and resolves to exit code 1.
 */
export async function runFilter(args: readonly string[], io: FilterIo): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    io.stdout(`${USAGE}\n`);
    return 0;
  }
  const filters = openFilters();
  try {
    const filter = compile(filters, parseArguments(args));
    return await applyToAll(filter, parseObjects(await readAll(io.stdin), 'filter: standard input'), io);
  } finally {
    filters.end();
  }
}

async function applyToAll(filter: CompiledFilter, objects: readonly unknown[], io: FilterIo): Promise<number> {
  let exitCode = 0;
  for (const [index, object] of objects.entries()) {
    const { result, error } = await filter.apply(inputOf(object));
    io.stdout(`${result}\n`);
    if (error === undefined) continue;
    io.stderr(`hooklet filter: object ${index + 1}${nameOf(object)}: ${error}\n`);
    exitCode = 1;
  }
  return exitCode;
}

function inputOf(value: unknown): FilterInput {
  const json = (): Uint8Array => Buffer.from(JSON.stringify(value) ?? 'null');
  return { value, json, namespace: '', uid: '', resourceVersion: '' };
}

/** By hand, because an expression may begin with a dash, as `-.spec.replicas` does: a parser takes it for an option. */
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

function compile(filters: Filters, filter: Filter): CompiledFilter {
  try {
    return filters.compile(filter);
  } catch (cause) {
    if (!(cause instanceof FilterError)) throw cause;
    throw new UsageError(`filter: ${cause.message}`, { cause });
  }
}

/** ` (Pod default x)` for an object with kind and name; else empty. */
function nameOf(object: unknown): string {
  if (!isObject(object) || !isObject(object['metadata'])) return '';
  const { name, namespace } = object['metadata'];
  const words = [object['kind'], namespace, name].filter((word) => typeof word === 'string');
  return ` (${words.join(' ')})`;
}
