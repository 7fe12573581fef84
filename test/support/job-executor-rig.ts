import { randomUUID } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import { isJsonObject, type JsonObject, type Sandbox, type SandboxOptions } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import type { Hook, HookSettings } from '../../src/hook/binding.ts';
import type { JobClaim, JobDesk, JobTicket } from '../../src/hook/job-desk.ts';
import type { DeskAnswer, DeskCaller, RemoteFiles, RemoteResult } from '../../src/hook/remote-run.ts';
import type { JobRule } from '../../src/hook/job-rule.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { asJsonObject, text } from '../../src/kube/object.ts';
import { createWatches } from '../../src/kube/watch/shared-watches.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { Execution, ExecuteRequest } from '../../src/runner/executor.ts';
import { JobExecutor } from '../../src/runner/job/job-executor.ts';
import type { JobExecutorOptions } from '../../src/runner/job/job-options.ts';
import { jobName } from '../../src/runner/job/job-object.ts';
import type { AdoptedRun } from '../../src/runner/job/job-orphans.ts';
import { drivenCluster } from '../../src/scenario/live/driven-cluster.ts';
import { hookWith } from './bindings.ts';
import { recordingLogger } from './recording-logger.ts';

export const JOBS = '/apis/batch/v1/namespaces/default/jobs';
export const PODS = '/api/v1/namespaces/default/pods';

/** A rule with the defaults. */
export function jobRule(fields: Partial<JobRule> = {}): JobRule {
  return {
    type: 'job',
    agent: 'image',
    isSuspended: false,
    startTimeoutMs: 120_000,
    keepFailedMs: 3_600_000,
    ...fields,
  };
}

/** A hook whose runs are Jobs; its file is there. */
export function jobHook(name = 'heavy.sh', rule: Partial<JobRule> = {}, settings: Partial<HookSettings> = {}): Hook {
  return { ...hookWith(name), path: import.meta.filename, settings: { ...settings, executor: jobRule(rule) } };
}

export const NO_FILES: RemoteFiles = { patch: '', metrics: '', admission: '', conversion: '', result: '' };

/** What hooklet in a Pod sends of a hook that succeeded. */
export function exited(files: Partial<RemoteFiles> = {}): RemoteResult {
  return { type: 'exited', cost: { durationMs: 5000 }, isLater: false, files: { ...NO_FILES, ...files } };
}

/** Only what waits in this process is driven: a file is read in wall time. */
export function driveTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets pass so much time, and all that is due then happen. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await turns();
}

/** Waits for what needs no time to pass. */
export async function soon<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const beganAt = process.hrtime.bigint();
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (process.hrtime.bigint() - beganAt > 10_000_000_000n) throw new Error(`it did not come: ${find.toString()}`);
    await turns(2);
  }
}

export async function turns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
}

export type JobRig = Awaited<ReturnType<typeof jobRig>>;

/** A sandbox without a Job controller, and operators that lead on it, one after the other. */
export async function jobRig(options: SandboxOptions = {}) {
  driveTime();
  const sandbox = await sandboxForTest(options);
  return {
    sandbox,
    lead: (fields: LeadOptions = {}) => lead(sandbox, fields),
    ...controller(sandbox),
  };
}

interface LeadOptions extends Partial<JobExecutorOptions> {
  /** Puts something around the client of the executor. */
  readonly withClient?: (client: JobExecutorOptions['client']) => JobExecutorOptions['client'];
}

/** A replica that leads until `end`. */
function lead(sandbox: Sandbox, { withClient = (client) => client, ...fields }: LeadOptions) {
  const driven = drivenCluster(sandbox, () => sandbox.token);
  const client = createKubeClient(driven.cluster, { userAgent: 'hooklet/test' });
  const metrics = createMetrics('');
  const log = recordingLogger();
  const watches = createWatches({ client, kinds: { invalidate: () => {} }, log, metrics, random: () => 0 });
  const events: string[] = [];
  const adopted: { readonly run: AdoptedRun; readonly execution: Execution }[] = [];
  const leaving = { is: false };
  const executor = new JobExecutor({
    client: withClient(client),
    watches,
    installation: 'test',
    namespace: 'default',
    image: 'hooklet:test',
    urls: ['https://hooklet-jobs.default.svc:9443'],
    authority: () => 'PEM',
    env: { HOOKLET_HOOKS_DIR: '/hooks' },
    isLeaving: () => leaving.is,
    adopt: async (run, execution) => void adopted.push({ run, execution }),
    events: ({ reason, message }) => void events.push(`${reason}: ${message}`),
    log,
    metrics,
    ...fields,
  });
  const controllerOfLead = new AbortController();
  const ended = executor.run(controllerOfLead.signal);
  const end = async (): Promise<void> => {
    controllerOfLead.abort();
    await ended;
    await watches.ended();
    await client.close();
  };
  onTestFinished(end);
  return {
    executor,
    desk: executor.desk,
    metrics,
    log,
    events,
    adopted,
    leaving,
    end,
    /** From now on nothing reaches it, and it reaches nothing, as if its process was killed. */
    kill: () => driven.shut(),
    /** Waits until it has asked for the creation of a Job. */
    posted: async () =>
      soon(() => sandbox.requests.find(({ method, path }) => method === 'POST' && path.endsWith('/jobs'))),
    run: (hook: Hook, request: Partial<ExecuteRequest> = {}) => startRun(executor, hook, request),
  };
}

/** One execution, and what its Pods say. */
function startRun(executor: JobExecutor, hook: Hook, request: Partial<ExecuteRequest>) {
  const runId = request.runId ?? randomUUID();
  const stop = new AbortController();
  const lines: string[] = [];
  const state: { execution: Execution | undefined } = { execution: undefined };
  const all: ExecuteRequest = {
    hook,
    runId,
    contexts: [Buffer.from('[{"binding":"a"}]')],
    onOutput: (output) => void (output.type === 'line' && lines.push(`${output.line.stream} ${output.line.line}`)),
    ...request,
  };
  const execution = executor.execute(all, stop.signal).then((ended) => (state.execution = ended));
  return {
    runId,
    job: jobName(runId),
    lines,
    execution,
    /** The execution, if it has ended. */
    get ended() {
      return state.execution;
    },
    stop: (why = 'a newer run replaces it') => stop.abort(new Error(why)),
  };
}

export type TestRun = ReturnType<typeof startRun>;

/** The error message of an execution; `exited` of one without. */
export function told(execution: Execution | undefined): string {
  if (execution === undefined) return 'not ended';
  return execution.type === 'exited' ? 'exited' : `${execution.by}: ${execution.error.message}`;
}

/** What the Job controller and a kubelet would do. */
function controller(sandbox: Sandbox) {
  const get = async (path: string): Promise<JsonObject | undefined> => {
    const { code, body } = await sandbox.call('GET', path);
    return code === 200 && isJsonObject(body) ? body : undefined;
  };
  const patch = async (path: string, body: JsonObject): Promise<void> => {
    const { code, body: answer } = await sandbox.call('PATCH', path, body, 'application/merge-patch+json');
    if (code >= 300) throw new Error(JSON.stringify(answer));
  };
  const jobs = async (): Promise<readonly JsonObject[]> => {
    const items = (await get(JOBS))?.['items'];
    return Array.isArray(items) ? items.filter(isJsonObject) : [];
  };
  const status = async (name: string, it: JsonObject): Promise<void> => patch(`${PODS}/${name}/status`, { status: it });
  return {
    get,
    patch,
    jobs,
    jobNamed: async (name: string) => get(`${JOBS}/${name}`),
    /** Waits until the Job is there, and creates a Pod for it. */
    podFor: async (name: string, pod = `${name}-${randomUUID().slice(0, 5)}`): Promise<DeskCaller> => {
      const job = await soon(async () => get(`${JOBS}/${name}`));
      return createPod(sandbox, job, pod);
    },
    podStatus: status,
    running: async (name: string): Promise<void> => status(name, { phase: 'Running', ...hookState({ running: {} }) }),
    ended: async (name: string, exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): Promise<void> => {
      const times = { startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:07Z' };
      const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
      await status(name, { phase, ...hookState({ terminated: { exitCode, reason, ...times } }) });
    },
    removeJob: async (name: string): Promise<void> => {
      await sandbox.call('DELETE', `${JOBS}/${name}?propagationPolicy=Background`);
    },
    /** Removes the Pod, as a kubelet does when its containers have ended. */
    removePod: async (name: string): Promise<void> => {
      await sandbox.call('DELETE', `${PODS}/${name}?gracePeriodSeconds=0`);
    },
  };
}

async function createPod(sandbox: Sandbox, job: JsonObject, name: string): Promise<DeskCaller> {
  const { name: jobsName, uid } = asJsonObject(job['metadata']);
  const template = asJsonObject(asJsonObject(job['spec'])['template']);
  const { labels } = asJsonObject(template['metadata']);
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name: text(jobsName), uid: text(uid), controller: true };
  const metadata = { name, namespace: 'default', labels, ownerReferences: [owner] };
  const spec = { ...asJsonObject(template['spec']), nodeName: 'node-1' };
  const pod: JsonObject = JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));
  const { code, body } = await sandbox.call('POST', PODS, pod);
  if (code !== 201) throw new Error(JSON.stringify(body));
  return {
    namespace: 'default',
    account: 'default',
    pod: name,
    podUid: text(asJsonObject(asJsonObject(body)['metadata'])['uid']),
  };
}

export function hookState(state: JsonObject): JsonObject {
  return { containerStatuses: [{ name: 'hook', image: 'x', imageID: '', ready: false, restartCount: 0, state }] };
}

const never = new AbortController().signal;

/** Claims a run as hooklet in a Pod does: again where it is told to. */
export async function claimed(desk: JobDesk, job: string, caller: DeskCaller): Promise<JobClaim & JobTicket> {
  const answer = await soon(async () => {
    const one = await desk.claim(job, caller, never);
    return one.type === 'refused' && one.status === 503 ? undefined : one;
  });
  if (answer.type === 'refused') throw new Error(`${answer.status} ${answer.message}`);
  return { ...answer.value, job, caller };
}

/** `ok`, or the status of a refusal. */
export function statusOf(answer: DeskAnswer<unknown>): 'ok' | number {
  return answer.type === 'ok' ? 'ok' : answer.status;
}
