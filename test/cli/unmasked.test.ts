import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Unmasked } from '../../src/cli/replay/unmasked.ts';

const GIVEN = 'masked-00000000000000001';
const ONE = 'masked-00000000000000002';
const TWO = 'masked-00000000000000003';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function compare(recorded: unknown, now: unknown) {
  const unmasked = new Unmasked([{ object: { data: { key: base64(GIVEN) } } }]);
  return { masked: unmasked.masked(recorded, now), count: unmasked.count };
}

describe('masked values in a replay', () => {
  it.each([
    ['a value of its own', { a: ONE }, { a: 'mine' }, 1],
    ['the same value twice', [ONE, `x ${ONE} y`], ['mine', 'x mine y'], 1],
    ['two values in one text', `${ONE}:${TWO}!`, 'a:b!', 2],
    ['base64 of a value', { a: base64(ONE) }, { a: base64('mine') }, 1],
    ['a mark that it was given', [GIVEN, `at ${GIVEN}`], [GIVEN, `at ${GIVEN}`], 0],
  ])('%s is the same as what was recorded', (_what, recorded, now, count) => {
    expect(compare(recorded, now)).toEqual({ masked: recorded, count });
  });

  it.each([
    ['one mark for two values', [ONE, ONE], ['mine', 'other']],
    ['one value for two marks', [ONE, TWO], ['mine', 'mine']],
    ['a value in place of a mark that it was given', GIVEN, 'hunter22'],
    ['another text around a value', `key ${ONE}`, 'the key mine'],
    ['no value', `key ${ONE}`, 'key '],
    ['a number', ONE, 7],
    ['less of a list', [ONE, TWO], ['mine']],
  ])('%s differs', (_what, recorded, now) => {
    expect(compare(recorded, now).masked).not.toEqual(recorded);
  });

  it('texts that are hard to match take no time', () => {
    const recorded = Array(2000).fill(`${ONE}a`).join('');
    const startedAt = performance.now();
    compare(recorded, `${'aa'.repeat(100_000)}b`);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it('what was recorded without marks is returned as it is now, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (recorded, now) => {
        expect(JSON.stringify(compare(recorded, now).masked)).toBe(JSON.stringify(now));
      }),
    );
  });
});
