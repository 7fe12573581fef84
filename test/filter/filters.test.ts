import { afterAll, describe, expect, it } from 'vitest';
import type { FilterInput } from '../../src/filter/compiled-filter.ts';
import { openFilters } from '../../src/filter/filters.ts';
import type { Filter } from '../../src/hook/binding.ts';

const filters = openFilters();
afterAll(() => filters.end());

let versions = 0;

function input(json: string): FilterInput {
  versions += 1;
  const version = String(versions);
  return {
    value: JSON.parse(json),
    json: () => Buffer.from(json),
    namespace: 'shop',
    uid: version,
    resourceVersion: '1',
  };
}

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const text = (value: string): string => JSON.stringify({ x: value });

interface Hostile {
  readonly expression: string;
  readonly json?: string;
  readonly type?: Filter['type'];
  /** The beginning of its result or error. */
  readonly gives: string;
}

const STOPPED = 'the filter was stopped';
const HOSTILE: readonly Hostile[] = [
  { expression: '.x | trim | tonumber? // 0', json: text(`${'1'.repeat(100_000)}x`), gives: '0' },
  { expression: '.x | trim | length', json: text(`a${' '.repeat(100_000)}b`), gives: '100002' },
  { expression: '.x | gsub("a"; "b") | length', json: text(`😀${'a'.repeat(10_000)}`), gives: '10001' },
  { expression: '.x | indices("a") | length', json: text(`😀${'a'.repeat(10_000)}`), gives: '10000' },
  { expression: '.x | test("(a+)+$")', json: text(`${'a'.repeat(60)}b`), gives: `${STOPPED} after 1000 ms` },
  { expression: '[range(50000)] - [range(1; 50000)]', gives: '[0]' },
  { expression: '.[100000000] = 1', json: '[]', gives: `${STOPPED} after 50000000 places` },
  { expression: '"a" * 2e8 | explode', gives: `${STOPPED} at a text of more than 33554432 characters` },
  { expression: '[range(1000000)] | [limit(2000; repeat(.))] | map(. + [1])', gives: STOPPED },
  { expression: '[limit(60; repeat("x" * 3e7))] | map(explode)', gives: STOPPED },
  { expression: '$..a..a..a', type: 'jsonPath', json: nested(300), gives: STOPPED },
  { expression: '$..a.b', type: 'jsonPath', json: nested(4000), gives: '' },
  { expression: '[..] | length', json: nested(9000), gives: '9001' },
  { expression: 'walk(.) | length', json: nested(9000), gives: '' },
  { expression: '. == (tojson | fromjson)', json: nested(9000), gives: '' },
  { expression: '[paths] | length', json: nested(2000), gives: '2000' },
  { expression: '[range(1e12)]', gives: STOPPED },
  { expression: '"a" * 1e9', gives: 'Repeat string result too long' },
  { expression: '"a" * 1e8', gives: `${STOPPED} at a text of more than 33554432 characters` },
  { expression: 'def f: f; f', gives: STOPPED },
  { expression: 'def f: f + 1; f', gives: 'the recursion is too deep' },
  { expression: '[limit(1e9; repeat(1))]', gives: STOPPED },
  { expression: 'last(range(1e12))', gives: STOPPED },
  { expression: 'first(range(1e12) | select(. < 0))', gives: STOPPED },
  { expression: '"x" | until(false; . + .)', gives: `${STOPPED} at a text of more than 33554432 characters` },
  { expression: '[1] | until(false; . + .)', gives: STOPPED },
  { expression: '{} | until(false; {a: ., b: .})', gives: STOPPED },
  { expression: '[limit(40; repeat(["x", "y"]))] | [combinations] | length', gives: STOPPED },
  { expression: 'reduce range(1e9) as $i ({}; .[$i | tostring] = $i)', gives: STOPPED },
  { expression: '.x | [match("(a|aa)+$"; "g")]', json: text(`${'a'.repeat(60)}b`), gives: STOPPED },
  { expression: '.x | sub("(?<l>.)"; "\\(.l)\\(.l)"; "g") | length', json: text('a'.repeat(200_000)), gives: '' },
  { expression: 'setpath([range(20000) | 0]; 1)', gives: 'Path too deep' },
  { expression: '. == (tojson | fromjson)', json: nested(12_000), gives: '' },
];

describe('a filter on an object that somebody made to stop the operator', () => {
  it.each(HOSTILE)(
    '$expression takes at most 100 ms of the event loop, and ends',
    async ({ expression, type = 'jq', json = '{}', gives }) => {
      const filter = filters.compile({ type, expression });
      const object = input(json);

      const before = process.threadCpuUsage();
      const pending = filter.apply(object);
      const { user, system } = process.threadCpuUsage(before);
      const { result, error } = await pending;

      expect((user + system) / 1000).toBeLessThanOrEqual(100);
      expect((error ?? result).slice(0, gives.length)).toBe(gives);
    },
  );

  it('is not tried again on the same version: the answer is there at once', async () => {
    const filter = filters.compile({ type: 'jq', expression: '.x | test("(a*)*$")' });
    const object = input(text(`${'a'.repeat(60)}b`));
    const first = await filter.apply(object);
    const startedAtMs = performance.now();
    const second = await filter.apply(object);

    expect(first).toEqual({ result: 'null', error: 'the filter was stopped after 1000 ms' });
    expect(second).toEqual(first);
    expect(performance.now() - startedAtMs).toBeLessThan(500);
  });
});

describe('an ordinary filter', () => {
  it.each([
    ['.metadata.name', '"web"'],
    ['.metadata.name | test("^w[a-z]+$")', 'true'],
    ['.metadata.labels | keys', '["app"]'],
    ['[.. | strings]', '["web","shop"]'],
  ])('has its result at once: %s', (expression, result) => {
    const filter = filters.compile({ type: 'jq', expression });

    expect(filter.apply(input('{"metadata":{"name":"web","labels":{"app":"shop"}}}'))).toEqual({ result });
  });

  it.each(['$.metadata.labels.app', '$..app', '$.metadata.*.app'])('of JSONPath too: %s', (expression) => {
    const filter = filters.compile({ type: 'jsonPath', expression });

    expect(filter.apply(input('{"metadata":{"name":"web","labels":{"app":"shop"}}}'))).toEqual({ result: '"shop"' });
  });

  it.each([
    ['.spec.n', '9007199254740993'],
    ['[.spec.n, .spec.n % 2]', '[9007199254740993,0]'],
    ['.spec | {n, s: "\\(.n)"}', '{"n":9007199254740993,"s":"9007199254740993"}'],
    ['.spec.n == 9007199254740993', 'true'],
    ['.data', '{"10":"a","9":"b","x":"c"}'],
  ])('has all digits of whole numbers, and the keys in their order: %s', (expression, result) => {
    const filter = filters.compile({ type: 'jq', expression });

    expect(filter.apply(input('{"spec":{"n":9007199254740993},"data":{"10":"a","9":"b","x":"c"}}'))).toEqual({
      result,
    });
  });

  it('has them in a large object too, elsewhere', async () => {
    const json = `{"n":9007199254740993,"s":"${'x'.repeat(100_000)}"}`;

    expect(await filters.compile({ type: 'jq', expression: '.n' }).apply(input(json))).toEqual({
      result: '9007199254740993',
    });
  });

  it('has its result while another one runs to its limit', async () => {
    const endless = filters.compile({ type: 'jq', expression: '[range(1e12)]' }).apply(input('{}'));
    let isOver = false;
    const over = Promise.resolve(endless).then(() => {
      isOver = true;
    });
    const outcome = filters.compile({ type: 'jq', expression: '.a' }).apply(input('{"a":1}'));

    expect([outcome, isOver]).toEqual([{ result: '1' }, false]);
    await over;
  });

  it('has the same result where it goes on elsewhere', async () => {
    const expression = '[.items[] | {n, s: (.s | ascii_upcase)}] | map(.n) | add';
    const items = Array.from({ length: 30_000 }, (_unused, n) => ({ n, s: 'é😀' }));

    const outcome = filters.compile({ type: 'jq', expression }).apply(input(JSON.stringify({ items })));

    expect(outcome).toBeInstanceOf(Promise);
    expect(await outcome).toEqual({ result: '449985000' });
  });
});
