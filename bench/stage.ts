import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlPlaneAssets } from '../test/cluster/assets.ts';
import { clusterConfig } from '../test/cluster/cluster-config.ts';
import { ControlPlane, tokenOf } from '../test/cluster/control-plane.ts';
import { connectApi, type Api } from './soak/api.ts';

/** A real control plane, and the way to it. */
export interface BenchStage extends AsyncDisposable {
  readonly api: Api;
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** A kubeconfig file. */
  readonly kubeconfig: string;
  /** A folder that goes at the end. */
  readonly folder: string;
}

/** The bundle, as users run it. */
export const PROGRAM = join(import.meta.dirname, '..', 'dist', 'main.js');

/** Starts the control plane of the cluster tests. */
export async function openBench(): Promise<BenchStage> {
  await using ends = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-bench-'));
  ends.defer(() => rmSync(folder, { recursive: true, force: true }));
  const plane = await ControlPlane.start(await controlPlaneAssets(process.env));
  ends.defer(async () => plane.stop());
  const token = tokenOf('admin');
  const ca = await plane.ca();
  const api = connectApi({ url: plane.url, ca, token });
  ends.defer(() => api.close());
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, clusterConfig({ url: plane.url, ca, user: 'admin', token }));
  const opened = ends.move();
  const stage = { api, url: plane.url, ca, token, kubeconfig, folder };
  return { ...stage, [Symbol.asyncDispose]: async () => opened.disposeAsync() };
}
