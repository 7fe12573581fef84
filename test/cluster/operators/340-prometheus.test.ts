import { expect, it } from 'vitest';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { until } from '../operator-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { chaosRounds } from './prometheus/prometheus-chaos.ts';
import { startPrometheusRig } from './prometheus/prometheus-rig.ts';
import {
  conditionOf,
  evidenceOf,
  GROUP,
  isLoaded,
  podUids,
  prometheus,
  rule,
  SELF,
  storageOf,
  valueOf,
  WAIT,
} from './prometheus/prometheus-steps.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 900_000 };

it('scrapes, leaves out a bad rule, loads 3 MB of rules, and grows its volumes under its Pods', LIMIT, async () => {
  await using rig = await startPrometheusRig(plane);
  await rig.apply(SELF);
  await rig.apply(rule('first', 'vector(1)'));
  await rig.apply(prometheus());
  await isLoaded(rig);

  await until(async () => {
    expect(await valueOf(rig, 'up')).toMatchObject([
      {
        metric: { job: 'prometheus-main', pod: 'prometheus-main-0', endpoint: 'web' },
        value: [expect.anything(), '1'],
      },
    ]);
  }, WAIT);
  await until(async () => expect(await valueOf(rig, 'ALERTS{alertname="A"}')).toHaveLength(1), WAIT);
  const before = await podUids(rig);
  expect(before).toHaveLength(1);

  await rig.apply(rule('bad', 'sum(up'));
  await until(async () => {
    const bad = await rig.get(rig.at(GROUP, 'prometheusrules', 'bad'));
    expect(objectsAt(bad, 'status', 'bindings')).toMatchObject([
      {
        name: 'main',
        conditions: [{ type: 'Accepted', status: 'False', message: expect.stringContaining('unclosed') }],
      },
    ]);
    expect(await conditionOf(rig, 'Complete')).toMatchObject({ status: 'False', reason: 'SomeLeftOut' });
  }, WAIT);

  for (let index = 0; index < 6; index += 1) {
    await rig.apply(rule(`large-${index}`, 'vector(1)', { groups: 5, bytes: 100_000 }));
  }
  await rig.apply(rule('giant', 'vector(1)', { groups: 1, bytes: 600_000 }));
  await until(async () => {
    const metrics = String(await rig.ask('prometheus-main-0', '/metrics'));
    // 30 groups of six, the giant, and the first.
    expect(metrics.match(/^prometheus_rule_group_rules\{/gm)).toHaveLength(32);
    expect(metrics).toMatch(/^prometheus_config_last_reload_successful 1$/m);
  }, WAIT).catch(async (error: unknown) => {
    throw new Error(await evidenceOf(rig), { cause: error });
  });
  await isLoaded(rig);
  expect((await rig.list(rig.at('', 'configmaps'))).length).toBeGreaterThan(4);

  const set = await rig.get(rig.at('apps', 'statefulsets', 'prometheus-main'));
  await rig.apply(prometheus({ storage: storageOf('1Gi') }));
  await until(async () => {
    const [claim] = await rig.list(rig.at('', 'persistentvolumeclaims'));
    const now = await rig.get(rig.at('apps', 'statefulsets', 'prometheus-main'));
    expect(objectAt(claim, 'spec', 'resources')).toMatchObject({ requests: { storage: '1Gi' } });
    expect(textAt(now, 'metadata', 'uid')).not.toBe(textAt(set, 'metadata', 'uid'));
    expect(await conditionOf(rig, 'Stored')).toMatchObject({ status: 'True' });
  }, WAIT);
  await isLoaded(rig);
  expect(await podUids(rig)).toEqual(before);

  await rig.restartOperator();
  await isLoaded(rig);
  expect(await podUids(rig)).toEqual(before);
  expect(rig.operator().lines.filter(({ level }) => level === 'error')).toEqual([]);
});

it('comes back from each of 4 faults with the rules that it had', LIMIT, async () => {
  await using rig = await startPrometheusRig(plane);

  const rounds = await chaosRounds(rig, 4);

  expect(rounds.map(({ fault }) => fault)).toEqual(['Pod deleted', 'child deleted', 'bad rule', 'operator killed']);
});
