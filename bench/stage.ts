import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlPlaneAssets } from '../test/cluster/assets.ts';
import { clusterConfig } from '../test/cluster/cluster-config.ts';
import { ControlPlane, tokenOf } from '../test/cluster/control-plane.ts';
import { connectApi, type Api } from './soak/api.ts';

/** A measured program: hooklet, or shell-operator. */
export interface Contender {
  readonly name: 'hooklet' | 'peer';
  /** The program and its first arguments; the flags of `start` follow. */
  readonly command: readonly string[];
  /** Flags after those of the row. */
  readonly flags: readonly string[];
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A real control plane, and access to it. */
export interface BenchStage extends AsyncDisposable {
  readonly api: Api;
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** A kubeconfig file. */
  readonly kubeconfig: string;
  /** A folder that is removed at the end. */
  readonly folder: string;
  readonly plane: ControlPlane;
  /** A copy of the published bundle, so that a build cannot replace it meanwhile. */
  readonly hooklet: Contender;
  /** The binary of `PEER`, which is shell-operator, with the flags of `PEER_FLAGS`. */
  readonly peer: Contender | undefined;
  /** Node for the bare clients. */
  readonly bareNode: string;
}

/** One request may delete thousands of objects, so it gets more time. */
const TIME_LIMIT_MS = 60_000;
const ROOT = join(import.meta.dirname, '..');

/** Starts the control plane of the cluster tests. */
export async function openBench(env: NodeJS.ProcessEnv = process.env): Promise<BenchStage> {
  await using ends = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-bench-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  // Removed even if the bench is interrupted, because it contains copies of Node.
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

/** Hooklet, and shell-operator if `PEER` is set. */
export function contendersOf({ hooklet, peer }: BenchStage): readonly Contender[] {
  return peer === undefined ? [hooklet] : [hooklet, peer];
}

/** Creates a folder of the stage; each name can be used once. */
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

/** The memory allocator settings of the image. */
function allocatorOfImage(): Readonly<Record<string, string>> {
  const name = 'GLIBC_TUNABLES';
  const value = new RegExp(`^ENV ${name}=(\\S+)$`, 'm').exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
  if (value === undefined) throw new Error(`the Dockerfile has no line ENV ${name}=…, with which hooklet is measured`);
  return { [name]: value };
}

/** A copy of Node, so that no other program shares its pages: otherwise the PSS would be lower than in a container. */
function ownNode(folder: string): string {
  const node = join(folder, 'node');
  cpSync(process.execPath, node);
  return node;
}

function peerOf({ PEER: program, PEER_FLAGS: flags = '' }: NodeJS.ProcessEnv): Contender | undefined {
  if (program === undefined || program === '') return undefined;
  return { name: 'peer', command: [program], flags: flags.split(/\s+/).filter(Boolean), env: {} };
}
