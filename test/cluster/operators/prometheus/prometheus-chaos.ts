import { expect } from 'vitest';
import { textAt } from '@hooklet/sandbox/testing';
import { chaosRounds, type ChaosFault, type ChaosRound } from '../../../operators/kit/chaos.ts';
import { eventually } from '../../solutions/eventually.ts';
import type { PrometheusRig } from './prometheus-rig.ts';
import { acceptedOf, prometheus, rule, saysLoaded, TARGETS, valueOf } from './prometheus-steps.ts';

/**
 * Breaks something in each round and changes a rule at the same time. Whole is: the Prometheus evaluates the new rule,
 * scrapes its targets, and its status says so.
 */
export async function prometheusChaos(
  rig: PrometheusRig,
  options: { readonly rounds: number; readonly seed: number; readonly tell?: (line: string) => void },
): Promise<readonly ChaosRound[]> {
  await rig.apply(...TARGETS, rule('round', 'vector(-1)'), prometheus());
  let round = 0;
  const struck = faultsOf(rig).map(({ name, act }): ChaosFault => ({
    name,
    act: async () => {
      round += 1;
      await act();
      // The webhook may be about to go or to come.
      await eventually(async () => rig.apply(rule('round', `vector(${round})`)));
    },
  }));
  const isWhole = async (): Promise<void> => {
    const rules = JSON.stringify(await rig.ask('prometheus-main-0', '/api/v1/rules'));
    expect(rules).toContain(`"query":"vector(${round === 0 ? -1 : round})"`);
    expect(await valueOf(rig, 'ALERTS{alertname="A"}')).toHaveLength(1);
    expect(await valueOf(rig, 'up == 1')).toHaveLength(2);
    await saysLoaded(rig);
  };
  const before = async (): Promise<void> => rig.remove('prometheusrules', 'bad');
  return chaosRounds({ ...options, faults: struck, isWhole, before });
}

function faultsOf(rig: PrometheusRig): readonly ChaosFault[] {
  const pod = { namespace: rig.namespace, name: 'prometheus-main-0' };
  return [
    {
      name: 'the Pod is deleted',
      act: async () => {
        const uid = textAt(await rig.get('pods', pod.name), 'metadata', 'uid');
        await rig.remove('pods', pod.name);
        await eventually(async () => expect(textAt(await rig.get('pods', pod.name), 'metadata', 'uid')).not.toBe(uid));
      },
    },
    { name: 'the Prometheus is killed', act: async () => rig.kubelet.kill(pod) },
    { name: 'a ConfigMap is deleted', act: async () => rig.remove('configmaps', 'prometheus-main-0') },
    { name: 'the StatefulSet is deleted', act: async () => rig.remove('statefulsets', 'prometheus-main') },
    { name: 'the operator is killed', act: async () => rig.restartOperator() },
    {
      name: 'a bad rule comes while the operator is away',
      act: async () => {
        await rig.stopOperator();
        await eventually(async () => rig.apply(rule('bad', 'sum(up')));
        await rig.startOperator();
        await eventually(async () => expect(await acceptedOf(rig, 'bad')).toMatchObject({ status: 'False' }));
      },
    },
  ];
}
