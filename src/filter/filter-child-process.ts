import { ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { siblingFile } from '../lib/sibling-file.ts';
import { messageOf } from '../lib/message-of.ts';
import { encodeFrame, FrameReader, type Frame } from './frames.ts';

/** Receives what a filter process sends. */
export interface ChildListener {
  readonly frame: (frame: Frame) => void;
  /** Called exactly once, when the process has ended or could not be started; `reason` is for people. */
  readonly ended: (reason: string) => void;
}

export interface FilterChild {
  send(frame: Frame): void;
  kill(): void;
  /** Whether the filter process keeps this process from exiting. */
  keepAlive(isNeeded: boolean): void;
}

/** Limit of the heap of a filter process. */
const MEMORY_MB = 128;
/** How a process without memory ends: Node aborts, or the kernel's OOM killer kills it. */
const OUT_OF_MEMORY: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGKILL', 'SIGTRAP', 'SIGILL'];
const MAX_FRAME_BYTES = 64 * 2 ** 20;
const FLAGS = [`--max-old-space-size=${MEMORY_MB}`, '--stack-size=6000', '--single-threaded-gc', '--v8-pool-size=0'];

/** Starts a filter process; it exits when its standard input is closed. */
export function startFilterChild(listener: ChildListener): FilterChild {
  let hasEnded = false;
  const end = (reason: string): void => {
    if (hasEnded) return;
    hasEnded = true;
    listener.ended(reason);
  };
  try {
    return openChild({ frame: listener.frame, ended: end });
  } catch (error) {
    // Without free file descriptors `spawn` throws. Report that asynchronously, as any other end.
    setImmediate(() => end(messageOf(error)));
    return { send: () => {}, kill: () => {}, keepAlive: () => {} };
  }
}

function openChild({ frame, ended }: ChildListener): FilterChild {
  const child = spawn(process.execPath, [...FLAGS, siblingFile('filter-child', import.meta.url)], {
    // The operator's environment may contain secrets; only the time zone is passed on, for jq's `localtime`.
    env: process.env['TZ'] === undefined ? {} : { TZ: process.env['TZ'] },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.once('error', (error) => ended(error.message));
  child.once('exit', (code, signal) => ended(endReason(code, signal)));
  const reader = new FrameReader(MAX_FRAME_BYTES);
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk).forEach(frame);
    } catch {
      child.kill('SIGKILL');
    }
  });
  // A broken pipe means that the process ended, which the `exit` event reports.
  child.stdin.on('error', () => {});
  return {
    send: (request) => {
      for (const part of encodeFrame(request)) child.stdin.write(part);
    },
    kill: () => {
      child.kill('SIGKILL');
    },
    keepAlive: (isNeeded) => {
      for (const part of [child, child.stdin, child.stdout]) hold(part, isNeeded);
    },
  };
}

function hold(part: unknown, isNeeded: boolean): void {
  if (!(part instanceof ChildProcess || part instanceof Socket)) return;
  if (isNeeded) part.ref();
  else part.unref();
}

function endReason(code: number | null, signal: NodeJS.Signals | null): string {
  if (OUT_OF_MEMORY.includes(signal)) return `the filter was stopped: it took more than ${MEMORY_MB} MB of memory`;
  return `the process of the filter ended (${signal ?? `exit code ${code}`})`;
}
