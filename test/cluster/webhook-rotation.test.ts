import { X509Certificate } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { asJsonObject, text } from '../../src/kube/object.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { startProgram, type Program } from '../support/program.ts';
import { startBalancer, type Backend } from '../support/webhook-exam/balancer.ts';
import { startCallers } from '../support/webhook-exam/callers.ts';
import type { ReplicaOrder } from '../support/webhook-exam/replica.ts';
import { freePorts } from './free-ports.ts';
import { handsOn, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const MAIN = fileURLToPath(new URL('../support/webhook-exam/replica.ts', import.meta.url));
const MINUTE_MS = 60_000;
const REQUESTS = 12_000;
const ROTATIONS = 10;
const APART_MS = 5 * MINUTE_MS;
const LIFE_MS = 60 * MINUTE_MS;
const SETTLE_MS = 3000;
const CALLERS = 12;
const KILLED_AFTER = 4;
const STARTED_AFTER = 6;

/** A warm hook whose answers tell which replica gave them. */
const HOOK = (namespace: string): string => `
import { defineHook, validating } from 'hooklet';

const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': '${namespace}' } };
export default defineHook({
  bindings: { 'judge.exam.example.com': validating({ rules, namespaceSelector }) },
  run({ answer }) {
    answer.allow();
    answer.warn(process.env.REPLICA);
  },
});
`;

/** Two replicas behind one address, registered with the API server by it. */
async function replicas(own: Hands, judged: string) {
  const [port = 0, ...ports] = await freePorts(5);
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const [kubeconfig, hooksDir] = [join(folder.path, 'kubeconfig'), join(folder.path, 'hooks')];
  writeFileSync(kubeconfig, plane.kubeconfig('admin'));
  mkdirSync(hooksDir);
  writeFileSync(join(hooksDir, 'judge.ts'), HOOK(judged));
  const common = { kubeconfig, hooksDir, namespace: own.namespace, configurationName: own.namespace };
  const shared = { ...common, url: `https://127.0.0.1:${port}`, lifeMs: LIFE_MS, settleMs: SETTLE_MS };
  const order = (name: string, aheadMs: number, [webhookPort = 0, healthPort = 0]: readonly number[]): ReplicaOrder => {
    return { ...shared, name, aheadMs, webhookPort, healthPort, tmpDir: join(folder.path, name) };
  };
  const orders = [order('first', -APART_MS / 2, ports.slice(0, 2)), order('second', APART_MS / 2, ports.slice(2))];
  const backends = orders.map(({ webhookPort, healthPort }): Backend => ({ port: webhookPort, healthPort }));
  const balancer = await startBalancer(port, backends);
  onTestFinished(async () => balancer[Symbol.asyncDispose]());
  const running: Program[] = [];
  const start = async (index: number): Promise<void> => {
    const [backend, given] = [backends[index], orders[index]];
    if (backend === undefined) throw new Error(`no replica ${index}`);
    running[index] = startProgram([JSON.stringify(given)], { main: MAIN });
    await until(() => expect(balancer.isReady(backend), running[index]?.stdout().slice(-3000)).toBe(true));
  };
  const kill = async (index: number): Promise<void> => {
    const backend = backends[index];
    running[index]?.signal('SIGKILL', 'group');
    await running[index]?.ended;
    await until(() =>
      expect([backend && balancer.open(backend), backend && balancer.isReady(backend)]).toEqual([0, false]),
    );
  };
  const served = async (): Promise<readonly string[]> =>
    Promise.all(backends.filter((one) => balancer.isReady(one)).map(async (one) => fingerprintAt(one.port)));
  return { balancer, backends, start, kill, served, logs: () => running.map((one) => one.stdout()).join('\n') };
}

async function fingerprintAt(port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
    resolve(String(socket.getPeerX509Certificate()?.fingerprint256));
  });
  socket.on('error', reject);
  return promise.finally(() => socket.destroy());
}

it('12,000 requests to a real API server are all answered during 10 rotations of authority and leaf, by two replicas whose clocks are 5 minutes apart, one of which is killed', async () => {
  const [own, judged] = [await handsOn(plane), await handsOn(plane)];
  const it = await replicas(own, judged.namespace);
  const secret = `/api/v1/namespaces/${own.namespace}/secrets/${own.namespace}-webhook-certs`;
  const held = async (key: string): Promise<string> => {
    const data = asJsonObject(asJsonObject(await own.call('GET', secret))['data']);
    return Buffer.from(text(data[key]), 'base64').toString();
  };
  onTestFinished(async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    await own.call('DELETE', `${path}/${own.namespace}-hooks`);
  });
  await Promise.all([it.start(0), it.start(1)]);
  const calls = {
    url: `${plane.url}${judged.maps()}?dryRun=All`,
    ca: plane.ca,
    token: plane.tokenOf('admin'),
    body: (index: number) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `a-${index}` } }),
  };
  const probe = startCallers({ ...calls, atOnce: 1 });
  // Until the API server knows of the webhook.
  await until(() => expect([...probe.warnings.keys()].join()).toContain('299'));
  await probe.end();
  const callers = startCallers({ ...calls, atOnce: CALLERS });
  const [authorities, leaves] = [new Set<string>(), new Set<string>()];
  const rest = async (): Promise<void> => {
    await until(async () => {
      const authority = await held('ca.key');
      const { fingerprint256 } = new X509Certificate(await held('tls.crt'));
      expect(authority, it.logs().slice(-4000)).not.toBe('');
      expect([...authorities]).not.toContain(authority);
      expect(new Set(await it.served())).toEqual(new Set([fingerprint256]));
      authorities.add(authority);
      leaves.add(fingerprint256);
    });
  };
  await rest();

  for (let rotation = 1; rotation <= ROTATIONS; rotation += 1) {
    // Without the key of the authority, the next one is made.
    await own.patch(secret, { data: { 'ca.key': null } });
    await rest();
    if (rotation === KILLED_AFTER) {
      // What a replica was asked before it was killed fails with any certificate.
      await callers.pause();
      await it.kill(0);
      callers.resume();
    }
    if (rotation === STARTED_AFTER) await it.start(0);
    await until(() => expect(callers.asked).toBeGreaterThanOrEqual((REQUESTS / ROTATIONS) * rotation));
  }
  await callers.end();

  expect([...callers.failures]).toEqual([]);
  expect(callers.asked).toBeGreaterThanOrEqual(REQUESTS);
  expect([authorities.size, leaves.size]).toEqual([1 + ROTATIONS, 1 + ROTATIONS]);
  const apart = [...it.logs().matchAll(/"aheadSeconds":(-?\d+)/g)].map(([, seconds]) => Math.sign(Number(seconds)));
  expect(new Set(apart)).toEqual(new Set([-1, 1]));
  // Every request was judged, by either replica.
  const warnings = [...callers.warnings];
  expect(warnings.map(([warning]) => warning).toSorted()).toEqual(['299 - "first"', '299 - "second"']);
  expect(warnings.reduce((sum, [, count]) => sum + count, 0)).toBe(callers.asked);
}, 180_000);
