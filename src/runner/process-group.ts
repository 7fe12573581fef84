import { type ChildProcess, spawn } from 'node:child_process';
import { eventually, within } from '../lib/deadline.ts';
import { latch } from '../lib/latch.ts';
import { awaitClosed, type CutWait, holdersOf } from './held-output.ts';
import { killGroup, type WatchedGroup, watchedGroup } from './kill-group.ts';
import type { OutputPipe, PipePool } from './pipe-pool.ts';
import { limitRun } from './run-limits.ts';
import type { RunOutput } from './run-output.ts';
import type { Exit, OutputStream, SpawnerReport, SpawnRequest, StartError, Usage } from './spawner-protocol.ts';
import { watchMemory } from './usage.ts';

// Output that a hook wrote just before it ended may still arrive, for example through a `tee`.
const PIPE_GRACE_MS = 100;
// Delays the report of the process id: most runs end before it is needed, which saves a message for each.
const ANNOUNCE_MS = 20;
// A process that survives SIGKILL waits in the kernel, for example for a lost file server; its queue must not wait too.
export const UNKILLABLE_MS = 5000;
// A process without an id has failed to start, and emits the error in the next turn of the event loop.
const START_LIMIT_MS = 10_000;
const STREAMS = ['stdout', 'stderr'] as const;

/** What one run needs from the spawner process. */
export interface GroupHost {
  readonly pipes: PipePool;
  readonly takeCpu: () => Usage;
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly graceMs: () => number;
  /** How long the children that the process left behind may write to its pipes; default 100 ms. */
  readonly pipeGraceMs?: number;
  /** Signals a group; default `killGroup`. */
  readonly kill?: typeof killGroup;
  /** Time from SIGKILL until a process that does not end is given up; default 5 s. */
  readonly unkillableMs?: number;
  readonly report: (report: SpawnerReport) => void;
}

type Request = SpawnRequest & { readonly id: number };
type Pipes = Readonly<Record<OutputStream, OutputPipe | undefined>>;
type Ending = Pick<Exit, 'exitCode' | 'signal' | 'startError' | 'usage'>;

/**
 * Runs one process in a group of its own, and returns how it ended. The group is terminated when `signal` aborts or the
 * timeout expires. With `hold`, others that hold its output are waited for after its exit. When this resolves, no process of the group is left, even if one that left the group still holds the
 * pipes.
 */
export async function runGroup(
  request: Request,
  host: GroupHost,
  output: RunOutput,
  signal: AbortSignal,
): Promise<Exit> {
  const startedAtMs = performance.now();
  const { kill = killGroup, pipeGraceMs = PIPE_GRACE_MS } = host;
  const [stdout, stderr] = await Promise.all(STREAMS.map(async () => host.pipes.open()));
  const pipes: Pipes = { stdout, stderr };
  const started = await start(request, host.baseEnv, pipes);
  const onData = (stream: OutputStream, chunk: Buffer): void => {
    output.push(stream, chunk);
    if (output.isOverCapture) kill(started.child?.pid, 'SIGKILL');
  };
  const reading = Promise.all(STREAMS.map((stream) => readOutput(stream, started.child, pipes, onData)));
  if (started.child === undefined) {
    if (!(await settlesWithin(reading, pipeGraceMs))) destroyPipes(pipes);
    return { timedOut: false, startError: started.error, ...output.end(), usage: {} };
  }

  const { child, pid } = started;
  const { ending, isTimedOut } = await awaitEnding(started, { request, host, signal });
  const exited = { request, host, output, signal, reading, pipes, group: watchedGroup(pid, kill), startedAtMs };
  const isEnded = isTimedOut || signal.aborted || output.isOverCapture;
  const cut = isEnded ? undefined : await awaitHolders(exited, ending);
  await endGroup(child, exited, cut === undefined ? pipeGraceMs : 0);
  const timedOut = isTimedOut || isOvertime(request, cut);
  return { ...ending, timedOut, ...endOutput(output, cut), ...describeOverCapture(request, output) };
}

function isOvertime({ timeoutMs }: Request, cut: CutWait | undefined): boolean {
  return timeoutMs !== undefined && cut?.isLate === true;
}

/** Waits until the process has ended, which is terminated at its limits, or is given up. */
async function awaitEnding(
  { child, pid }: Extract<Started, { pid: number }>,
  { request, host, signal }: Pick<Exited, 'request' | 'host' | 'signal'>,
): Promise<{ readonly ending: Ending; readonly isTimedOut: boolean }> {
  const { kill = killGroup, unkillableMs = UNKILLABLE_MS } = host;
  const lost = latch<Ending>();
  let giveUp: NodeJS.Timeout | undefined;
  const announcing = setTimeout(() => host.report({ type: 'started', id: request.id, pid }), ANNOUNCE_MS);
  const limits = limitRun({
    timeoutMs: request.timeoutMs,
    graceMs: host.graceMs,
    signal,
    onEnd: () => kill(pid, 'SIGTERM'),
    onKill: () => {
      kill(pid, 'SIGKILL');
      giveUp = setTimeout(() => lost.resolve(describeUnkillable(unkillableMs)), unkillableMs);
    },
  });
  const ending = await Promise.race([awaitExit(child, pid, host.takeCpu), lost.promise]);
  clearTimeout(announcing);
  clearTimeout(giveUp);
  limits.clear();
  return { ending, isTimedOut: limits.isTimedOut() };
}

/** A run whose process has exited. */
interface Exited {
  readonly request: Request;
  readonly host: GroupHost;
  readonly output: RunOutput;
  readonly signal: AbortSignal;
  readonly reading: Promise<unknown>;
  readonly pipes: Pipes;
  readonly group: WatchedGroup;
  readonly startedAtMs: number;
}

/** Waits for those who hold the output, if the request says so; returns how the wait was cut short. */
async function awaitHolders(exited: Exited, { exitCode }: Ending): Promise<CutWait | undefined> {
  const { request, host, output, signal, reading: closed, pipes, group, startedAtMs } = exited;
  const { hold, timeoutMs } = request;
  if (hold === undefined || exitCode === undefined || !hold.exitCodes.includes(exitCode)) return undefined;
  const paths = STREAMS.flatMap((stream) => pipes[stream]?.path ?? []);
  return awaitClosed({
    closed,
    limitMs: timeoutMs === undefined ? hold.limitMs : Math.max(0, timeoutMs - (performance.now() - startedAtMs)),
    graceMs: host.graceMs,
    signal,
    terminate: () => group.kill('SIGTERM'),
    holders: () => holdersOf(paths),
    note: (line) => output.note(line),
    onLook: group.look,
  });
}

function endOutput(output: RunOutput, cut: CutWait | undefined): Pick<Exit, 'stdout' | 'stderr' | 'heldBy'> {
  const { stdout, stderr } = output.end();
  if (cut === undefined) return { stdout, stderr };
  return { stdout, stderr: `${stderr}hooklet: ${cut.heldBy} still held its output\n`, heldBy: cut.heldBy };
}

type Started =
  | { readonly child: ChildProcess; readonly pid: number }
  | { readonly child?: undefined; readonly error: StartError };

async function start(request: Request, baseEnv: Readonly<Record<string, string>>, pipes: Pipes): Promise<Started> {
  try {
    const child = spawn(request.path, request.args, {
      cwd: request.cwd,
      env: { ...baseEnv, ...request.env },
      stdio: ['ignore', pipes.stdout?.writeFd ?? 'pipe', pipes.stderr?.writeFd ?? 'pipe'],
      detached: true,
    });
    if (child.pid !== undefined) return { child, pid: child.pid };
    const late = (): Started => ({
      error: { code: '', message: 'the process neither started nor failed', isShortage: true },
    });
    return await eventually<Started>({ limitMs: START_LIMIT_MS, late }, ({ resolve }) => {
      child.once('error', (error) => resolve({ error: describeStartError(error) }));
    });
  } catch (error) {
    // Node throws some errors of the system, such as ENOEXEC, and emits others.
    return { error: describeStartError(error) };
  }
}

function describeStartError(error: unknown): StartError {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  return { code: 'code' in error ? String(error.code) : '', message: error.message };
}

function describeOverCapture(request: Request, output: RunOutput): { readonly startError?: StartError } {
  if (!output.isOverCapture) return {};
  return { startError: { code: '', message: `printed more than ${request.captureBytes} bytes` } };
}

async function readOutput(
  stream: OutputStream,
  child: ChildProcess | undefined,
  pipes: Pipes,
  onData: (stream: OutputStream, chunk: Buffer) => void,
): Promise<void> {
  const pipe = pipes[stream];
  const readable = child?.[stream];
  if (pipe !== undefined) await pipe.read((chunk) => onData(stream, chunk));
  if (readable === null || readable === undefined) return;
  const closed = latch();
  readable.on('data', (chunk) => onData(stream, chunk));
  readable.on('error', () => {});
  readable.on('close', closed.resolve);
  await closed.promise;
}

function awaitExit(child: ChildProcess, pid: number, takeCpu: () => Usage): Promise<Ending> {
  const memory = watchMemory(pid);
  const { promise, resolve } = latch<Ending>();
  child.once('exit', (exitCode, signal) => {
    memory.stop();
    const maxRssBytes = memory.peak();
    const usage = { ...takeCpu(), ...(maxRssBytes === undefined ? {} : { maxRssBytes }) };
    if (signal !== null) resolve({ signal, usage });
    else resolve({ exitCode: exitCode ?? 0, usage });
  });
  return promise;
}

function describeUnkillable(afterMs: number): Ending {
  const message = `it did not end within ${afterMs / 1000} s of SIGKILL: it waits in the kernel, for a file system perhaps`;
  return { signal: 'SIGKILL', startError: { code: '', message, isShortage: true }, usage: {} };
}

/** Kills the children that the process left behind, and stops reading if even that does not close the pipes. */
async function endGroup(child: ChildProcess, { reading, pipes, group }: Exited, graceMs: number): Promise<void> {
  const isDrained = await settlesWithin(reading, graceMs);
  group.kill('SIGKILL');
  if (isDrained || (await settlesWithin(reading, PIPE_GRACE_MS))) return;
  // The pipes are held by a process that started its own session, which cannot be reached; the queue must not wait for
  // it.
  destroyPipes(pipes);
  for (const stream of STREAMS) child[stream]?.destroy();
}

function destroyPipes(pipes: Pipes): void {
  for (const stream of STREAMS) pipes[stream]?.destroy();
}

async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  return within(
    promise.then(() => true),
    { limitMs, late: () => false },
  );
}
