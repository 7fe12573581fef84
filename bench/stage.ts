import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlPlaneAssets } from '../test/cluster/assets.ts';
import { clusterConfig } from '../test/cluster/cluster-config.ts';
import { ControlPlane, tokenOf } from '../test/cluster/control-plane.ts';
import { connectApi, type Api } from './soak/api.ts';

/** A program that is measured: hooklet, or the peer. */
export interface Contender {
  readonly name: 'hooklet' | 'peer';
  /** The program and its first arguments; the flags of `start` follow. */
  readonly command: readonly string[];
  /** Flags after those of the row. */
  readonly flags: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

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
  readonly plane: ControlPlane;
  /** The bundle as users run it: a copy, which nobody builds anew meanwhile. */
  readonly hooklet: Contender;
  /** What `PEER` names, with the flags of `PEER_FLAGS`. */
  readonly peer: Contender | undefined;
  /** Node for the bare clients. */
  readonly bareNode: string;
}

/** Thousands of objects may be deleted by one request. */
const TIME_LIMIT_MS = 60_000;
const ROOT = join(import.meta.dirname, '..');

/** Starts the control plane of the cluster tests. */
export async function openBench(env: NodeJS.ProcessEnv = process.env): Promise<BenchStage> {
  await using ends = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-bench-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  // Also when the bench is interrupted: there are copies of Node in it.
  process.once('exit', removeFolder);
  ends.defer(() => {
    process.off('exit', removeFolder);
    removeFolder();
  });
  const plane = await ControlPlane.start(await controlPlaneAssets(env));
  ends.defer(async () => plane.stop());
  const token = tokenOf('admin');
  const ca = await plane.ca();
  const api = connectApi({ url: plane.url, ca, token, timeLimitMs: TIME_LIMIT_MS });
  ends.defer(() => api.close());
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, clusterConfig({ url: plane.url, ca, user: 'admin', token }));
  const programs = { hooklet: copyOfHooklet(folder), peer: peerOf(env), bareNode: ownNode(folder) };
  const opened = ends.move();
  const stage = { api, url: plane.url, ca, token, kubeconfig, folder, plane, ...programs };
  return { ...stage, [Symbol.asyncDispose]: async () => opened.disposeAsync() };
}

/** Hooklet, and the peer where there is one. */
export function contendersOf({ hooklet, peer }: BenchStage): readonly Contender[] {
  return peer === undefined ? [hooklet] : [hooklet, peer];
}

/** Makes a folder of the stage; a name is used once. */
export function stageFolder({ folder }: BenchStage, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

function copyOfHooklet(folder: string): Contender {
  const copy = join(folder, 'hooklet');
  cpSync(join(ROOT, 'dist'), join(copy, 'dist'), { recursive: true, preserveTimestamps: true });
  cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
  return {
    name: 'hooklet',
    command: [ownNode(copy), join(copy, 'dist', 'main.js')],
    flags: [],
    env: allocatorOfImage(),
  };
}

/** How the image sets up the memory allocator. */
function allocatorOfImage(): Readonly<Record<string, string>> {
  const name = 'GLIBC_TUNABLES';
  const value = new RegExp(`^ENV ${name}=(\\S+)$`, 'm').exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
  if (value === undefined) throw new Error(`the Dockerfile has no line ENV ${name}=…, with which hooklet is measured`);
  return { [name]: value };
}

/** A copy of Node, whose pages no other program shares: else the PSS would be less than in a container. */
function ownNode(folder: string): string {
  const node = join(folder, 'node');
  cpSync(process.execPath, node);
  return node;
}

function peerOf({ PEER: program, PEER_FLAGS: flags = '' }: NodeJS.ProcessEnv): Contender | undefined {
  if (program === undefined || program === '') return undefined;
  return { name: 'peer', command: [program], flags: flags.split(/\s+/).filter(Boolean), env: {} };
}
