import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endChild, endWithThis } from './child.ts';
import { podToken } from './pod-token.ts';
import { asJson, type Json } from './soak/api.ts';
import type { BenchStage } from './stage.ts';

/** What a Pod runs on this machine. */
export interface PlayedProcess {
  readonly command: readonly [program: string, ...args: readonly string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** Says what a Pod runs; its environment is that of its first container, and `tokenFile` gets it a token for hooklet. */
export type ProcessOf = (pod: {
  readonly labels: Json;
  readonly env: Readonly<Record<string, string>>;
  readonly tokenFile: () => Promise<string>;
}) => PlayedProcess | Promise<PlayedProcess>;

const NODE = 'bench-node';
const PODS = '/api/v1/namespaces/default/pods';

/**
 * Plays the scheduler and the kubelet for the Pods of the namespace `default`, without delay: no image, no sandbox and no
 * network, so that what is left is what the API server and the Job controller take. Ends with `ends`.
 */
export async function playNode(stage: BenchStage, processOf: ProcessOf, ends: AsyncDisposableStack): Promise<void> {
  const { api, url, ca, token } = stage;
  await api.call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } });
  const agent = new Agent({ keepAlive: true, ca });
  ends.defer(() => agent.destroy());
  const children = new Set<ChildProcess>();
  ends.defer(async () => {
    await Promise.all([...children].map(async (child) => endChild(child, 'SIGKILL')));
  });
  const watching = request(`${url}${PODS}?watch=true`, { agent, headers: { authorization: `Bearer ${token}` } });
  watching.on('error', () => {});
  ends.defer(() => void watching.destroy());
  const opened = once(watching, 'response');
  watching.end();
  const [response] = await opened;
  const lines = createInterface(response);
  // It is aborted at the end.
  lines.on('error', () => {});
  lines.on('line', (line) => {
    const { type, object } = asJson(JSON.parse(line));
    if (type === 'ADDED') void runPod(stage, asJson(object), { processOf, children }).catch(report);
  });
}

function report(error: unknown): void {
  process.stderr.write(`a Pod could not be played: ${String(error)}\n`);
}

interface Playing {
  readonly processOf: ProcessOf;
  readonly children: Set<ChildProcess>;
}

async function runPod(stage: BenchStage, pod: Json, { processOf, children }: Playing): Promise<void> {
  const { api, folder } = stage;
  const { name, uid, labels } = asJson(pod['metadata']);
  const path = `${PODS}/${String(name)}`;
  await api.call('POST', `${path}/binding`, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name },
    target: { apiVersion: 'v1', kind: 'Node', name: NODE },
  });
  const tokenFile = async (): Promise<string> => {
    const path = join(folder, `token-${String(uid)}`);
    writeFileSync(path, await podToken(api, { account: 'default', pod: String(name), uid: String(uid) }));
    return path;
  };
  const container = containerOf(pod);
  const { command, env } = await processOf({ labels: asJson(labels), env: envOf(container), tokenFile });
  const [program, ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  endWithThis(child);
  children.add(child);
  const ended = once(child, 'exit');
  const started = new Date().toISOString();
  await writeStatus(stage, path, container, { phase: 'Running', state: { running: { startedAt: started } } });
  const [exitCode] = await ended;
  children.delete(child);
  const finished = { exitCode: Number(exitCode ?? 1), startedAt: started, finishedAt: new Date().toISOString() };
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  await writeStatus(stage, path, container, { phase, state: { terminated: finished } });
  // One that was deleted while it ran goes when its kubelet says so.
  const { body } = await api.call('GET', path);
  if (asJson(body['metadata'])['deletionTimestamp'] === undefined) return;
  await api.call('DELETE', path, { gracePeriodSeconds: 0 });
}

async function writeStatus(
  { api }: BenchStage,
  path: string,
  container: Json,
  { phase, state }: { readonly phase: string; readonly state: Json },
): Promise<void> {
  const { name, image } = container;
  const isRunning = phase === 'Running';
  const own = { name, image, imageID: '', ready: isRunning, restartCount: 0, started: isRunning, state };
  const ready = { type: 'Ready', status: isRunning ? 'True' : 'False' };
  const status = { phase, conditions: [ready], containerStatuses: [own] };
  await api.call('PATCH', `${path}/status`, { status }, 'application/strategic-merge-patch+json');
}

function containerOf(pod: Json): Json {
  const { containers } = asJson(pod['spec']);
  const [first]: readonly unknown[] = Array.isArray(containers) ? containers : [];
  return asJson(first);
}

function envOf({ env }: Json): Readonly<Record<string, string>> {
  const list: readonly unknown[] = Array.isArray(env) ? env : [];
  return Object.fromEntries(list.map(asJson).map(({ name, value = '' }) => [String(name), String(value)]));
}
