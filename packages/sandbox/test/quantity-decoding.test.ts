import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/json.ts';
import { Kinds } from '../src/kinds.ts';
import { requireQuantities } from '../src/quantity-decoding.ts';

function check(collection: string, object: JsonObject): void {
  const kind = new Kinds().ofCollection(collection);
  if (kind === undefined) throw new Error(`no ${collection}`);
  requireQuantities(kind, object);
}

const pod = (cpu: JsonObject[string]): JsonObject => ({
  spec: { containers: [{ name: 'c', resources: { limits: { cpu } } }] },
});

describe('where a quantity belongs', () => {
  it.each([['1'], [2], [0.5], [null], [' 1Gi ']])('%j may be', (cpu) => {
    expect(() => check('pods', pod(cpu))).not.toThrow();
  });

  it.each([
    ['abc', 'quantities must match the regular expression'],
    [true, 'quantities must match the regular expression'],
    [{ a: 1 }, 'quantities must match the regular expression'],
    ['1K', "unable to parse quantity's suffix"],
  ])('%j may not be', (cpu, problem) => {
    expect(() => check('pods', pod(cpu))).toThrow(`Pod in version "v1" cannot be handled as a Pod: ${problem}`);
  });

  it('all else may be, where none belongs', () => {
    expect(() => check('configmaps', { data: { cpu: 'abc' } })).not.toThrow();
  });
});
