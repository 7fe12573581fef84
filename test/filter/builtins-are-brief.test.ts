import { expect, it } from 'vitest';
import { compileFilter } from '../../src/filter/filter.ts';
import { openFilters } from '../../src/filter/filters.ts';
import { FilterError } from '../../src/errors.ts';
import type { CompiledFilter } from '../../src/filter/compiled-filter.ts';

/** Values of about a megabyte, each large in a different way. */
const LARGE: Readonly<Record<string, unknown>> = {
  text: 'a'.repeat(1_000_000),
  'wide text': '😀'.repeat(250_000),
  numbers: Array.from({ length: 200_000 }, (_unused, index) => index),
  members: Object.fromEntries(Array.from({ length: 50_000 }, (_unused, index) => [`k${index}`, index])),
  'an object in an object 9,000 times': JSON.parse(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`),
};

const filters = openFilters({ run: async () => ({ result: 'null' }), end: () => {} });

function compile(expression: string): CompiledFilter | undefined {
  try {
    return filters.compile({ type: 'jq', expression });
  } catch (error) {
    if (error instanceof FilterError) return undefined;
    throw error;
  }
}

function callsOfBuiltins(): readonly string[] {
  const names: readonly string[] = JSON.parse(
    compileFilter({ type: 'jq', expression: '[builtins[]]' }).apply(null).result,
  );
  return names.map((name) => {
    const [word = '', arity = '0'] = name.split('/');
    return arity === '0' ? word : `${word}(${Array.from({ length: Number(arity) }, () => '.[]?').join('; ')})`;
  });
}

const LIMIT_US = 100_000;

/** The microseconds of CPU that the event loop needs for a value, without what it leaves to others. */
async function cpuOf(filter: CompiledFilter, value: unknown): Promise<number> {
  const before = process.threadCpuUsage();
  const outcome = filter.apply({
    value,
    namespace: '',
    uid: '',
    resourceVersion: '',
    json: () => new Uint8Array(0),
  });
  const { user, system } = process.threadCpuUsage(before);
  await outcome;
  return user + system;
}

it.each(Object.entries(LARGE))(
  'no builtin keeps the event loop for more than 100 ms of its time with %s',
  async (_law, value) => {
    const calls = callsOfBuiltins();
    expect(calls.length).toBeGreaterThan(150);
    const slow: string[] = [];
    for (const call of calls) {
      const filter = compile(call);
      if (filter === undefined) continue;
      // A collection of garbage that many calls have made may come in the time of one.
      const times = [await cpuOf(filter, value)];
      while (Math.min(...times) > LIMIT_US && times.length < 3) times.push(await cpuOf(filter, value));
      if (Math.min(...times) > LIMIT_US) slow.push(call);
    }

    expect(slow).toEqual([]);
  },
);
