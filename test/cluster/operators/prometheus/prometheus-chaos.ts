import { expect } from 'vitest';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { until } from '../../operator-rig.ts';
import type { PrometheusRig } from './prometheus-rig.ts';
import { GROUP, isLoaded, prometheus, rule, SELF, valueOf, WAIT } from './prometheus-steps.ts';

/** What was broken in a round, and after how many seconds all was as it should be. */
export interface Round {
  readonly fault: string;
  readonly seconds: number;
}

/**
 * Breaks something in each round, changes a rule at the same time, and waits until the Prometheus evaluates the new rule
 * and scrapes its targets; fails when one does not come back.
 */
export async function chaosRounds(rig: PrometheusRig, count: number): Promise<readonly Round[]> {
  await rig.apply(SELF);
  await rig.apply(rule('round', 'vector(-1)'));
  await rig.apply(prometheus());
  await isLoaded(rig);
  const rounds: Round[] = [];
  for (let index = 0; index < count; index += 1) {
    const [fault, strike] = FAULTS[index % FAULTS.length] ?? ['nothing', async () => {}];
    await strike(rig, index);
    const begin = performance.now();
    await rig.apply(rule('round', `vector(${index})`));
    await until(async () => {
      const [alert] = await valueOf(rig, 'ALERTS{alertname="A"}');
      const answer = await rig.ask('prometheus-main-0', '/api/v1/rules');
      expect(JSON.stringify(answer)).toContain(`"query":"vector(${index})"`);
      expect(alert).toBeDefined();
      expect((await valueOf(rig, 'up == 1')).length).toBe(1);
    }, WAIT);
    await isLoaded(rig);
    rounds.push({ fault, seconds: (performance.now() - begin) / 1000 });
    await rig.remove(rig.at(GROUP, 'prometheusrules', 'bad'));
  }
  return rounds;
}

type Fault = readonly [name: string, strike: (rig: PrometheusRig, round: number) => Promise<void>];

const FAULTS: readonly Fault[] = [
  [
    'Pod deleted',
    async (rig) => {
      const path = rig.at('', 'pods', 'prometheus-main-0');
      const uid = textAt(await rig.get(path), 'metadata', 'uid');
      await rig.remove(path);
      await until(async () => expect(textAt(await rig.get(path), 'metadata', 'uid')).not.toBe(uid), WAIT);
    },
  ],
  ['child deleted', async (rig) => rig.remove(rig.at('', 'configmaps', 'prometheus-main-0'))],
  [
    'bad rule',
    async (rig) => {
      await rig.apply(rule('bad', 'sum(up'));
      await until(async () => {
        const bad = await rig.get(rig.at(GROUP, 'prometheusrules', 'bad'));
        const [binding] = objectsAt(bad, 'status', 'bindings');
        expect(textAt(objectsAt(binding, 'conditions')[0], 'status')).toBe('False');
      }, WAIT);
    },
  ],
  ['operator killed', async (rig) => rig.restartOperator()],
];

/** Half of the values are at most the first, 99 of 100 at most the second. */
export function percentiles(rounds: readonly Round[]): { readonly p50: number; readonly p99: number } {
  const sorted = rounds.map(({ seconds }) => seconds).toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
