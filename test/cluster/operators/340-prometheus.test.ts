import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectAt, textAt } from '@hooklet/sandbox/testing';
import { chaosFigures } from '../../operators/kit/chaos.ts';
import { forbiddenRequests, serviceAccountUser, unusedRules, type RoleRule } from '../audit.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';
import { prometheusChaos } from './prometheus/prometheus-chaos.ts';
import { OPERATOR, startPrometheusRig, type PrometheusRig } from './prometheus/prometheus-rig.ts';
import {
  acceptedOf,
  conditionOf,
  evidenceOf,
  isLoaded,
  podUids,
  prometheus,
  rule,
  storageOf,
  TARGETS,
  valueOf,
  WAIT,
} from './prometheus/prometheus-steps.ts';

const LIMIT_MS = 900_000;
const ALERTING = { alerting: { alertmanagers: [{ name: 'app', port: 'web' }] } };
const plane = sharedControlPlane();
const running = new AsyncDisposableStack();
let rig: PrometheusRig;

beforeAll(async () => {
  rig = running.use(await startPrometheusRig(plane));
  await rig.apply(...TARGETS, rule('first', 'vector(1)'));
  await rig.apply(prometheus(ALERTING));
  await isLoaded(rig);
}, LIMIT_MS);

afterAll(async () => running.disposeAsync(), LIMIT_MS);

async function scrapesOf(job: string): Promise<number> {
  const [found] = await valueOf(rig, `target_scrapes_total{job="${job}"}`);
  return Number(Array.isArray(found?.['value']) ? found['value'][1] : Number.NaN);
}

describe('a real Prometheus, of an operator that is installed by one apply,', { timeout: LIMIT_MS }, () => {
  it('scrapes what a ServiceMonitor and a PodMonitor find in Kubernetes, and sends alerts to the Alertmanager', async () => {
    await eventually(async () => {
      const up = await valueOf(rig, 'up == 1');
      const jobs = up.map(({ metric }) => textAt({ metric: metric ?? null }, 'metric', 'job'));
      expect(jobs.toSorted()).toEqual(['app', `${rig.namespace}/app`]);
    }, WAIT);
    await eventually(async () => {
      const alerts = await rig.ask('app', '/', 8080);
      expect(alerts).toContainEqual({ alertname: 'A', prometheus: `${rig.namespace}/main` });
    }, WAIT);
  });

  it('goes on scraping while the operator is stopped, and a bad rule that came meanwhile is left out and told', async () => {
    const before = await podUids(rig);
    await expect(rig.apply(rule('bad', 'sum(up'))).rejects.toThrow(/unclosed left parenthesis/);

    await rig.stopOperator();
    const scrapes = await scrapesOf('app');
    await eventually(async () => rig.apply(rule('bad', 'sum(up')), WAIT);
    await eventually(async () => expect(await scrapesOf('app')).toBeGreaterThan(scrapes + 10), WAIT);
    expect(await valueOf(rig, 'up == 1')).toHaveLength(2);
    await rig.startOperator();

    await eventually(async () => {
      const message = expect.stringContaining('unclosed');
      expect(await acceptedOf(rig, 'bad')).toMatchObject({ status: 'False', reason: 'Refused', message });
      expect(await conditionOf(rig, 'Complete')).toMatchObject({ status: 'False', reason: 'SomeLeftOut' });
    }, WAIT);
    await isLoaded(rig);
    expect(await podUids(rig)).toEqual(before);
  });

  it('loads 3 MB of rules in several ConfigMaps (prometheus-operator#4832, #6478)', async () => {
    for (let index = 0; index < 6; index += 1) {
      await rig.apply(rule(`large-${index}`, 'vector(1)', { groups: 5, bytes: 100_000 }));
    }
    await rig.apply(rule('giant', 'vector(1)', { groups: 1, bytes: 600_000 }));

    await eventually(async () => {
      const metrics = String(await rig.ask('prometheus-main-0', '/metrics'));
      // 30 groups of six, the giant, and the first.
      expect(metrics.match(/^prometheus_rule_group_rules\{/gm)).toHaveLength(32);
      expect(metrics).toMatch(/^prometheus_config_last_reload_successful 1$/m);
    }, WAIT).catch(async (error: unknown) => {
      throw new Error(await evidenceOf(rig), { cause: error });
    });
    await isLoaded(rig);
    const maps = (await rig.list('configmaps')).map((one) => textAt(one, 'metadata', 'name'));
    expect(maps.filter((name) => name.startsWith('prometheus-main-')).length).toBeGreaterThan(4);
  });

  it('another Pod of the operator writes nothing but what is its own (prometheus-operator#2950)', async () => {
    const before = await podUids(rig);
    const written = await writesOf();

    await rig.restartOperator();
    await eventually(async () => {
      const runs = (await rig.logged('info')).filter((line) => line.includes('"hook finished"'));
      expect(runs.filter((line) => line.includes('prometheus.ts')).length).toBeGreaterThan(0);
    }, WAIT);
    await isLoaded(rig);

    expect(await writesOf()).toEqual(written);
    expect(await podUids(rig)).toEqual(before);
  });

  it('comes back from each of 6 faults with its rules and targets', async () => {
    const rules = (await rig.list('prometheusrules')).map((one) => textAt(one, 'metadata', 'name'));
    for (const name of rules) await rig.remove('prometheusrules', name);

    const rounds = await prometheusChaos(rig, { rounds: 6, seed: 1 });

    expect(chaosFigures(rounds)).toHaveLength(7);
  });

  it('has its storage grown under Pods that run on, and scrapes meanwhile (prometheus-operator#3875)', async () => {
    const before = await podUids(rig);
    const set = await rig.get('statefulsets', 'prometheus-main');
    const scrapes = await scrapesOf('app');

    await rig.apply(prometheus({ ...ALERTING, storage: storageOf('1Gi') }));

    await eventually(async () => {
      const [claim] = await rig.list('persistentvolumeclaims');
      const now = await rig.get('statefulsets', 'prometheus-main');
      expect(objectAt(claim, 'spec', 'resources')).toMatchObject({ requests: { storage: '1Gi' } });
      expect(textAt(now, 'metadata', 'uid')).not.toBe(textAt(set, 'metadata', 'uid'));
      expect(await conditionOf(rig, 'Stored')).toMatchObject({ status: 'True' });
    }, WAIT);
    await isLoaded(rig);
    expect(await podUids(rig)).toEqual(before);
    expect(await scrapesOf('app')).toBeGreaterThan(scrapes);
  });

  it('the operator was refused nothing, and has used each right that is not for seldom moments (etcd-io PR#395)', async () => {
    const user = serviceAccountUser(OPERATOR.namespace, OPERATOR.name);
    const entries = await plane.auditLog();

    expect(forbiddenRequests(entries, user)).toEqual([]);
    const unused = unusedRules(await rulesOf(rig), entries, user);
    expect(unused.filter((right) => !SELDOM.includes(right))).toEqual([]);
    expect(await rig.logged('error')).toEqual([]);
  });
});

/** What the operator wrote of what is not its own: all but Events, its certificate and its registration. */
async function writesOf(): Promise<readonly string[]> {
  const user = serviceAccountUser(OPERATOR.namespace, OPERATOR.name);
  const writes = (await plane.auditLog()).filter(
    (entry) =>
      entry.user === user && !['get', 'list', 'watch'].includes(entry.verb) && entry.namespace === rig.namespace,
  );
  return writes
    .filter(({ resource }) => resource !== 'events')
    .map(({ verb, resource, subresource, name }) => `${verb} ${resource}/${subresource} ${name}`);
}

const SELDOM: readonly string[] = [
  // For API servers that check owner references.
  'update prometheuses/finalizers.monitoring.example.hooklet.dev',
  // What stands in the place of a child that cannot be made is read.
  'get configmaps',
  'get services',
  'get statefulsets.apps',
  // The Service has one name as long as the Prometheus has.
  'delete services',
  // An Event that is told again.
  'patch events',
  // A registration that another replica made, and whether that one is gone.
  'get validatingwebhookconfigurations.admissionregistration.k8s.io example-prometheus-hooks',
  'get mutatingwebhookconfigurations.admissionregistration.k8s.io example-prometheus-hooks',
  'get pods',
];

async function rulesOf({ kubectl }: PrometheusRig): Promise<readonly RoleRule[]> {
  const { items }: { items: readonly { rules: readonly RoleRule[] }[] } = JSON.parse(
    await kubectl('get', 'clusterrole/example-prometheus', 'role/prometheus', '-o', 'json'),
  );
  return items.flatMap(({ rules }) => rules);
}
