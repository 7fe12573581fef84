import { describe, expect, it } from 'vitest';
import { defineHook, type HookRun, kubernetes } from '../../src/sdk/index.ts';
import { logEntry } from '../../src/sdk/log-entry.ts';

const bindings = { pods: kubernetes({ kind: 'Pod' }) };
const log = { debug() {}, info() {}, warn() {}, error() {} };

async function execute(run: (run: HookRun<typeof bindings>) => void) {
  return defineHook({ bindings, run }).execute([], { log, signal: new AbortController().signal });
}

const circle: Record<string, unknown> = {};
circle['self'] = [circle];
const throwing = {
  get size(): number {
    throw new Error('no size');
  },
};
const proxy = new Proxy(
  {},
  {
    ownKeys: () => {
      throw new Error('no keys');
    },
  },
);
const revoked = Proxy.revocable([], {});
revoked.revoke();
let deep: unknown = 1;
for (let i = 0; i < 100_000; i++) deep = [deep];

const object = (spec: unknown) => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x' }, spec });

describe('what a hook asks for', () => {
  it.each([
    ['a BigInt', { count: 10n }, 'patch.create: object.spec.count is a BigInt; expected what JSON has'],
    ['a cycle', circle, 'patch.create: object.spec.self[0] contains itself'],
    ['a function', { list: [1, () => {}] }, 'patch.create: object.spec.list[1] is a function'],
    ['a symbol', { key: Symbol('x') }, 'patch.create: object.spec.key is a symbol'],
    ['a number that is none', { replicas: Number.NaN }, 'patch.create: object.spec.replicas is NaN'],
    ['a Map', { data: new Map([['a', 1]]) }, 'patch.create: object.spec.data is a Map'],
    ['an error', new Error('x'), 'patch.create: object.spec is an Error'],
    ['a getter that throws', throwing, 'patch.create: object.spec.size cannot be read: no size'],
    ['a toJSON that throws', { toJSON: () => throwing.size }, 'patch.create: object.spec cannot be read: no size'],
    ['a proxy that throws', proxy, 'patch.create: object.spec cannot be read: no keys'],
    ['a proxy that is revoked', revoked.proxy, 'patch.create: object.spec cannot be read: '],
    ['100,000 levels', deep, 'is nested deeper than 500 levels'],
  ])('may not be %s, and the error names the place', async (_what, spec, message) => {
    const { patch, error } = await execute((run) => run.patch.create(object(spec)));

    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    expect(patch).toBe('');
  });

  it('is written as JSON writes it, keys of any name included', async () => {
    const spec = {
      at: new Date(0),
      none: undefined,
      list: [undefined, null, 'a'],
      ['__proto__']: 1,
      constructor: { a: -1.5e300 },
      shared: object(1),
      again: object(1),
    };

    const { patch } = await execute((run) => run.patch.create(object(spec)));

    expect(patch).toBe(`${JSON.stringify({ operation: 'Create', object: object(spec) })}\n`);
  });

  it('of a metric may not be a number that is none', async () => {
    const { error } = await execute(({ metric }) => metric.set('x', Number.POSITIVE_INFINITY));

    expect(error).toMatchObject({ message: expect.stringContaining('metric.set: value is Infinity') });
  });

  it('reads each value once', async () => {
    let reads = 0;
    const counting = {
      get once() {
        reads += 1;
        return reads;
      },
    };

    const { patch } = await execute((run) => run.patch.create(object(counting)));

    expect(patch).toContain('"spec":{"once":1}');
    expect(reads).toBe(1);
  });
});

describe('what a hook logs', () => {
  it.each([
    ['nothing', undefined, {}],
    ['null', null, {}],
    ['a text', 'x', { value: 'x' }],
    ['a list', [1, 10n], { value: [1, '10'] }],
    ['a cycle', circle, { self: ['[contains itself]'] }],
    ['a function', () => {}, { value: '[is a function]' }],
    ['a getter that throws', throwing, { size: '[cannot be read: no size]' }],
    ['a proxy that throws', proxy, { value: '[cannot be read: no keys]' }],
    ['a proxy that is revoked', revoked.proxy, { value: expect.stringContaining('[cannot be read: ') }],
  ])('may be %s', (_what, fields, logged) => {
    expect(logEntry('x', fields)).toEqual({ message: 'x', fields: logged });
  });

  it('may be an error, which is logged with its stack', () => {
    expect(logEntry('x', new RangeError('far'))).toEqual({
      message: 'x',
      fields: { error: expect.stringMatching(/^RangeError: far\n {4}at/) },
    });
  });

  it.each([[null], [Symbol('x')], [10n], [new Error('x')]])('may have any message: %s', (message) => {
    expect(logEntry(message, {}).message).toBe(String(message));
  });

  it('may have a message that has no text', () => {
    expect(logEntry(Object.create(null), {}).message).toContain('[the message cannot be read: ');
  });

  it('is read no further than it is logged', () => {
    let reads = 0;
    const wide = new Proxy(Array.from({ length: 100_000 }), {
      get: (target, key) => {
        reads += 1;
        return key === 'length' ? target.length : 'x'.repeat(10);
      },
    });

    const entry = logEntry('x', { wide });

    expect(reads).toBeLessThan(2100);
    expect(JSON.stringify(entry.fields).length).toBeLessThan(20_100);
  });

  it('is 256 KiB on the wire at most, however it is escaped', () => {
    const worst = '\0'.repeat(100_000);
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`${worst.slice(0, 50)}${index}`, worst]),
    );

    const entry = { type: 'log', id: 2 ** 53 - 1, entry: { level: 'error', ...logEntry(worst, many) } };

    expect(Buffer.byteLength(JSON.stringify(entry))).toBeLessThan(256 * 1024);
  });
});
