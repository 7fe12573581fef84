import { type ChildProcess, spawn } from 'node:child_process';
import { endChild, endWithThis } from './child.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../test/cluster/free-ports.ts';
import { until } from './figures.ts';
import type { BenchStage, Contender } from './stage.ts';

export interface RunningOperator extends AsyncDisposable {
  readonly pid: number;
  readonly process: ChildProcess;
  /** When the process was started, as milliseconds since 1970. */
  readonly startedAtMs: number;
  /**
   * Milliseconds from the start of the process to its first log line with this message. Only hooklet logs such lines;
   * comparisons with shell-operator use the records of the hooks, or `metrics`.
   */
  said(message: string): Promise<number>;
  /** Waits until the Synchronizations of this many hooks are done. */
  synchronized(hooks?: number): Promise<void>;
  /** The current metrics page; empty while it is not served. */
  metrics(): Promise<string>;
}

export interface OperatorOptions {
  readonly hooksDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Default: hooklet. */
  readonly contender?: Contender;
  /** The log level of hooklet; default `info`, as in production. shell-operator logs only errors. */
  readonly logLevel?: 'debug' | 'info' | 'error';
  /** More flags of `start`. */
  readonly flags?: readonly string[];
  /** Where it gets a folder for the files of runs; default: the folder of the stage. */
  readonly scratch?: string;
}

const TIME_LIMIT_MS = 300_000;
let count = 0;

/** A process of `hooklet start` or shell-operator; disposing it ends the process. */
export async function startOperator(stage: BenchStage, options: OperatorOptions): Promise<RunningOperator> {
  const { contender = stage.hooklet, env = {} } = options;
  const [port = 0] = await freePorts(1);
  const [program = '', ...args] = [...contender.command, 'start', ...flagsOf(stage, options, port)];
  const startedAtMs = performance.timeOrigin + performance.now();
  const child = spawn(program, args, {
    env: { ...process.env, ...contender.env, KUBECONFIG: stage.kubeconfig, ...env },
    stdio: ['ignore', 'pipe', contender.name === 'hooklet' ? 'inherit' : 'ignore'],
  });
  endWithThis(child);
  const said = listen(child.stdout, startedAtMs);
  const url = `http://127.0.0.1:${port}`;
  const metrics = async (): Promise<string> => textAt(`${url}/metrics`);
  return {
    pid: child.pid ?? 0,
    process: child,
    startedAtMs,
    said,
    metrics,
    synchronized: async (hooks = 1) => {
      // A page with all metrics is expensive with many hooks; shell-operator has no other.
      const isSynchronized = async (): Promise<boolean> =>
        contender.name === 'hooklet' ? isReady(`${url}/readyz`) : enabledHooks(await metrics()) >= hooks;
      await until(async () => ((await isSynchronized()) ? true : undefined), {
        timeoutMs: TIME_LIMIT_MS,
        everyMs: 20,
        what: `${contender.name} did not synchronize ${hooks} hook(s) in time`,
      });
    },
    [Symbol.asyncDispose]: async () => endChild(child, 'SIGTERM'),
  };
}

/** The flags that both programs have, then those of one. */
function flagsOf(stage: BenchStage, options: OperatorOptions, port: number): readonly string[] {
  const { contender = stage.hooklet, hooksDir, logLevel = 'info', flags = [], scratch = stage.folder } = options;
  const tmpDir = join(scratch, `tmp-${count++}`);
  mkdirSync(tmpDir);
  const common = [
    ...flagPairs({ '--hooks-dir': hooksDir, '--tmp-dir': tmpDir, '--kube-config': stage.kubeconfig }),
    ...flagPairs({ '--listen-address': '127.0.0.1', '--listen-port': String(port) }),
  ];
  const own = {
    hooklet: ['--log-format', 'json', '--log-level', logLevel],
    // Otherwise two instances would use the same socket.
    peer: ['--log-level', 'error', '--debug-unix-socket', join(tmpDir, 'debug.socket')],
  }[contender.name];
  return [...common, ...own, ...flags, ...contender.flags];
}

function flagPairs(flags: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(flags).flat();
}

/** Reads log lines until the end, so that the pipe is never full. */
function listen(output: NodeJS.ReadableStream, startedAtMs: number): (message: string) => Promise<number> {
  const seen = new Map<string, number>();
  const waiting = new Map<string, (atMs: number) => void>();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const reader = createInterface(output);
  reader.on('close', () => ended.reject(new Error('the program ended before it said what was waited for')));
  reader.on('line', (line) => {
    // Not parsed, because a busy operator logs a lot, and this process shares its cores.
    const message = /"msg":"([^"]*)"/.exec(line)?.[1];
    if (message === undefined || seen.has(message)) return;
    const atMs = performance.timeOrigin + performance.now() - startedAtMs;
    seen.set(message, atMs);
    waiting.get(message)?.(atMs);
  });
  return async (message) => {
    const atMs = seen.get(message);
    if (atMs !== undefined) return atMs;
    const said = Promise.withResolvers<number>();
    waiting.set(message, said.resolve);
    const timer = setTimeout(() => said.reject(new Error(`it did not say "${message}" in time`)), TIME_LIMIT_MS);
    return Promise.race([said.promise, ended.promise]).finally(() => clearTimeout(timer));
  };
}

/** A metric that both programs have. */
function enabledHooks(page: string): number {
  return page.match(/^\w*hook_enable_kubernetes_bindings_success\{.*\} [1-9]/gm)?.length ?? 0;
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}

async function textAt(url: string): Promise<string> {
  try {
    return await (await fetch(url)).text();
  } catch {
    return '';
  }
}
