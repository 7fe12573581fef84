import { randomUUID } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import type { Hook, HookSettings } from '../../src/hook/binding.ts';
import type { DeskAnswer, DeskCaller, RemoteFiles, RemoteResult } from '../../src/hook/remote-run.ts';
import type { HandedRun, HeldRun, RunToEnd, WorkerHello, WorkTicket } from '../../src/hook/work-desk.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { Execution, ExecuteRequest } from '../../src/runner/executor.ts';
import { WorkExecutor } from '../../src/runner/work/work-executor.ts';
import type { WorkerOutage, WorkExecutorOptions } from '../../src/runner/work/work-options.ts';
import { hookWith } from './bindings.ts';
import { never } from './hook-rig.ts';
import { recordingLogger } from './recording-logger.ts';

/** A hook whose runs workers execute. */
export function workHook(name = 'light.sh', settings: Partial<HookSettings> = {}, pool = 'default'): Hook {
  return { ...hookWith(name), settings: { ...settings, executor: { type: 'workers', pool } } };
}

/** Lets pass so much time, and all that is due then happen. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
}

/** What hooklet in a worker sends of a hook that succeeded. */
export function exited(files: Partial<RemoteFiles> = {}): RemoteResult {
  const none = { patch: '', metrics: '', admission: '', conversion: '', result: '' };
  return { type: 'exited', cost: { durationMs: 5 }, isLater: false, files: { ...none, ...files } };
}

/** `ok`, or the status of a refusal. */
export function statusOf(answer: DeskAnswer<unknown>): 'ok' | number {
  return answer.type === 'ok' ? 'ok' : answer.status;
}

/** How an execution ended. */
export function told(execution: Execution | undefined): string {
  if (execution === undefined) return 'not ended';
  return execution.type === 'exited' ? 'exited' : `${execution.by}: ${execution.error.message}`;
}

export type WorkRig = ReturnType<typeof workRig>;

/** A replica that leads from the beginning, cleanly unless it is said. */
export function workRig({ leads = true, ...fields }: Partial<WorkExecutorOptions> & { readonly leads?: boolean } = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const metrics = createMetrics('');
  const log = recordingLogger();
  const outages: WorkerOutage[] = [];
  const digest = { is: 'A' };
  let names = 0;
  const executor = new WorkExecutor({
    digest: async () => digest.is,
    hashOf: async () => 'hash',
    isClean: () => true,
    onNoWorkers: (outage) => void outages.push(outage),
    log,
    metrics,
    randomName: () => `w${(names += 1)}`,
    ...fields,
  });
  const stop = new AbortController();
  const begin = async (): Promise<void> => executor.run(stop.signal);
  const ended = leads ? begin() : undefined;
  onTestFinished(async () => {
    stop.abort();
    await vi.advanceTimersByTimeAsync(60_000);
    await ended;
  });
  return {
    executor,
    desk: executor.desk,
    metrics,
    log,
    outages,
    digest,
    begin,
    end: () => stop.abort(),
    ended,
    run: (hook = workHook(), request: Partial<ExecuteRequest> = {}) => startRun(executor, hook, request),
    worker: (hello: Partial<WorkerHello> = {}, podUid?: string) => sayHello(executor, hello, podUid),
  };
}

function startRun(executor: WorkExecutor, hook: Hook, request: Partial<ExecuteRequest>) {
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
    lines,
    execution,
    /** How it ended, if it has. */
    get told() {
      return told(state.execution);
    },
    get ended() {
      return state.execution;
    },
    stop: (why = 'a newer run replaces it') => stop.abort(new Error(why)),
  };
}

export type TestWorker = ReturnType<typeof sayHello>;

let pods = 0;

/** A worker that has said hello. */
function sayHello({ desk }: WorkExecutor, fields: Partial<WorkerHello>, podUid = `uid-${(pods += 1)}`) {
  const caller: DeskCaller = { namespace: 'hooklet', account: 'hooklet-workers', pod: podUid, podUid };
  const hello = { pool: 'default', hooks: 'A', capacity: 1, version: '1', ...fields };
  const answer = desk.hello(hello, caller);
  if (answer.type === 'refused') throw new Error(`${answer.status} ${answer.message}`);
  const terms = answer.value;
  const ticket = { worker: terms.worker, caller };
  return {
    ...ticket,
    terms,
    ticket,
    of: ({ runId, epoch }: HeldRun): WorkTicket => ({ ...ticket, runId, epoch }),
    beat: (...held: HeldRun[]) => desk.beat(ticket, held),
    /** What it is to end, as an answer to a beat says. */
    toEnd: (...held: HeldRun[]): readonly RunToEnd[] | number => {
      const said = desk.beat(ticket, held);
      return said.type === 'ok' ? said.value : said.status;
    },
    claim: async (free = hello.capacity, waitMs = 0, { signal } = { signal: never }) =>
      desk.claim(ticket, free, { waitMs, signal }),
    /** The runs that it gets within a time. */
    take: async (free = hello.capacity, waitMs = 0): Promise<readonly TakenRun[]> => {
      const claimed = await taken(desk.claim(ticket, free, { waitMs, signal: never }), waitMs);
      if (claimed.type === 'refused') throw new Error(`${claimed.status} ${claimed.message}`);
      return claimed.value.map(takenOf);
    },
    ends: async (waitMs = 0) => desk.ends(ticket, { waitMs, signal: never }),
    result: (run: HeldRun, result = exited()) => statusOf(desk.result({ ...ticket, ...heldOf(run) }, result)),
    output: (run: HeldRun, ...lines: string[]) =>
      statusOf(
        desk.output(
          { ...ticket, ...heldOf(run) },
          lines.map((line) => ({ stream: 'stdout', line })),
        ),
      ),
    leave: () => statusOf(desk.leave(ticket)),
  };
}

export interface TakenRun extends HeldRun {
  readonly handed: HandedRun;
}

export function takenOf(handed: HandedRun): TakenRun {
  return { runId: handed.run.runId, epoch: handed.epoch, handed };
}

function heldOf({ runId, epoch }: HeldRun): HeldRun {
  return { runId, epoch };
}

/** Lets the time pass that a request is held at most. */
async function taken<T>(answer: Promise<T>, waitMs: number): Promise<T> {
  const state = { isDone: false };
  const done = answer.finally(() => (state.isDone = true));
  await pass(0);
  if (!state.isDone && waitMs > 0) await pass(waitMs);
  return done;
}
