import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortestChain, type ConversionStep } from '../../../src/sources/conversion/chain.ts';
import { step } from './conversion-rig.ts';

const names = (chain: readonly ConversionStep[] | undefined): readonly string[] | undefined =>
  chain?.map(({ hook, rule }) => `${hook}: ${rule.fromVersion}>${rule.toVersion}`);

const steps = (...rules: readonly string[]): readonly ConversionStep[] =>
  rules.map((rule) => {
    const [hook = '', fromVersion = '', toVersion = ''] = rule.split(' ');
    return step(hook, fromVersion, toVersion);
  });

describe('the chain from one version to another', () => {
  it.each([
    ['one rule', ['a v1 v2'], ['a: v1>v2']],
    ['two rules of two hooks', ['b v1b v2', 'a v1 v1b'], ['a: v1>v1b', 'b: v1b>v2']],
    ['the shorter of two', ['a v1 v1b', 'a v1b v1c', 'a v1c v2', 'b v1 v0', 'b v0 v2'], ['b: v1>v0', 'b: v0>v2']],
    ['the direct one', ['a v1 v1b', 'a v1b v2', 'b v1 v2'], ['b: v1>v2']],
    ['the one that names the group', ['a v1 v2', 'b g.io/v1 g.io/v2'], ['b: g.io/v1>g.io/v2']],
    ['rules with and without the group', ['a v1 g.io/v1b', 'b v1b v2'], ['a: v1>g.io/v1b', 'b: v1b>v2']],
    ['one that leads around a circle', ['a v1 v0', 'a v0 v1', 'a v0 v2'], ['a: v1>v0', 'a: v0>v2']],
    ['that of the first hook', ['a v1 v2', 'b v1 v2'], ['a: v1>v2']],
  ])('is %s', (_law, rules, expected) => {
    expect(names(shortestChain(steps(...rules), 'g.io/v1', 'g.io/v2'))).toEqual(expected);
  });

  it.each([
    ['no rule leads there', ['a v1 v1b']],
    ['a rule leads the other way', ['a v2 v1']],
    ['the only rule is of another group', ['a other.io/v1 other.io/v2']],
    ['there are no rules', []],
  ])('is not there when %s', (_law, rules) => {
    expect(shortestChain(steps(...rules), 'g.io/v1', 'g.io/v2')).toBeUndefined();
  });

  it('is empty between equal versions', () => {
    expect(shortestChain([], 'g.io/v1', 'g.io/v1')).toEqual([]);
  });

  it('leads from each version to the next, and no other is shorter, for any rules', () => {
    const version = fc.integer({ min: 0, max: 6 }).map((n) => `v${n}`);
    fc.assert(
      fc.property(fc.array(fc.tuple(version, version), { maxLength: 20 }), (rules) => {
        const all = rules.map(([from, to]) => step('a', from, to));
        const chain = shortestChain(all, 'g.io/v0', 'g.io/v6');
        expect(chain?.length).toBe(distance(rules));
        let at = 'v0';
        for (const { rule } of chain ?? []) {
          expect(rule.fromVersion).toBe(at);
          at = rule.toVersion;
        }
        if (chain !== undefined) expect(at).toBe('v6');
      }),
    );
  });
});

/** The number of rules from v0 to v6, by trying all that can be reached in one more. */
function distance(rules: readonly (readonly [string, string])[]): number | undefined {
  let reached = new Set(['v0']);
  for (let count = 0; count <= rules.length; count++) {
    if (reached.has('v6')) return count;
    reached = new Set([...reached, ...rules.filter(([from]) => reached.has(from)).map(([, to]) => to)]);
  }
  return undefined;
}
