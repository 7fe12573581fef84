import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlPlaneAssets } from '../../test/cluster/assets.ts';
import { clusterConfig } from '../../test/cluster/cluster-config.ts';
import { ControlPlane, tokenOf } from '../../test/cluster/control-plane.ts';
import { startStageProxy } from '../../test/support/stages/proxy.ts';
import { connectApi, type Api, type Json } from './api.ts';
import type { FaultTargets } from './faults.ts';
import { startGateway } from './gateway.ts';
import { KINDS, MIRROR_NAMESPACE, NAMESPACES, pathOf, WIDGET_DEFINITION } from './kinds.ts';
import { OperatorProcess } from './operator-process.ts';
import { startSoakRelay } from './relay.ts';

/** The environment of a soak. */
export interface Stage extends FaultTargets, AsyncDisposable {
  readonly api: Api;
  /** The folder in which the hooks record what they saw. */
  readonly out: string;
}

const DIST = join(import.meta.dirname, '..', '..', 'dist');
const HOOKS = join(import.meta.dirname, 'hooks');

/** Starts a control plane with the initial objects, and the proxies for faults; not yet the operator. */
export async function openStage(logFile: string): Promise<Stage> {
  await using ends = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-soak-'));
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  const plane = await ControlPlane.start(await controlPlaneAssets(process.env));
  ends.defer(async () => plane.stop());
  const api = connectApi({ url: plane.url, ca: await plane.ca(), token: tokenOf('admin') });
  ends.defer(() => api.close());
  await prepareCluster(api);
  const gateway = await startGateway({ url: plane.url, ca: await plane.ca() });
  ends.defer(async () => gateway.close());
  const target = { url: `https://127.0.0.1:${gateway.port}`, ca: gateway.ca };
  const stages = ends.use(await startStageProxy({ target, protocol: 'h2' }));
  const relay = await startSoakRelay(stages.port);
  ends.defer(async () => relay.close());
  const kubeconfig = join(folder, 'kubeconfig');
  const url = `https://127.0.0.1:${relay.port}`;
  writeFileSync(kubeconfig, clusterConfig({ url, ca: stages.ca, user: 'admin', token: tokenOf('admin') }));
  // A copy, so that a build cannot replace it while the operator is restarted.
  cpSync(DIST, join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const out = join(folder, 'seen');
  mkdirSync(out);
  const main = join(folder, 'dist', 'main.js');
  const operator = new OperatorProcess({
    main,
    hooksDir: HOOKS,
    kubeconfig,
    tmpDir: join(folder, 'tmp'),
    out,
    logFile,
  });
  ends.defer(async () => void (await operator.end('SIGTERM')));
  const opened = ends.move();
  return {
    api,
    out,
    plane,
    gateway,
    stages,
    relay,
    operator,
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  };
}

async function prepareCluster(api: Api): Promise<void> {
  for (const name of [...NAMESPACES, MIRROR_NAMESPACE]) {
    const labels = name === MIRROR_NAMESPACE ? {} : { soak: 'true' };
    await create(api, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }
  await create(api, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGET_DEFINITION);
  for (const kind of KINDS) await untilServed(api, pathOf(kind, NAMESPACES[0] ?? ''));
}

async function create(api: Api, path: string, object: Json): Promise<void> {
  const { status, body } = await api.call('POST', path, object);
  if (status !== 201) throw new Error(`${path} answers ${status}: ${JSON.stringify(body)}`);
}

async function untilServed(api: Api, path: string): Promise<void> {
  while ((await api.call('GET', path)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
}
