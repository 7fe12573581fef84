import { ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { siblingFile } from '../lib/sibling-file.ts';
import { encodeFrame, FrameReader, type Frame } from './frames.ts';

/** What the filter process tells. */
export interface ChildListener {
  readonly frame: (frame: Frame) => void;
  /** Once, however it ended; `reason` as it may be shown. */
  readonly ended: (reason: string) => void;
}

export interface FilterChild {
  send(frame: Frame): void;
  kill(): void;
  /** Whether this process waits for it before it ends by itself. */
  keepAlive(isNeeded: boolean): void;
}

/** The memory of the objects and results of one filter. */
const MEMORY_MB = 128;
/** Abort, and what a killer of the kernel sends. */
const OUT_OF_MEMORY: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGKILL', 'SIGTRAP', 'SIGILL'];
const MAX_FRAME_BYTES = 64 * 2 ** 20;
const FLAGS = [`--max-old-space-size=${MEMORY_MB}`, '--stack-size=6000', '--single-threaded-gc', '--v8-pool-size=0'];

/** Starts a filter process; it goes when its standard input does. */
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
    // Without a free file descriptor there is not even a pipe. Told later, as the end of any other.
    setImmediate(() => end(error instanceof Error ? error.message : String(error)));
    return { send: () => {}, kill: () => {}, keepAlive: () => {} };
  }
}

function openChild({ frame, ended }: ChildListener): FilterChild {
  const child = spawn(process.execPath, [...FLAGS, siblingFile('filter-child', import.meta.url)], {
    // No secrets of the operator; the zone is what `localtime` is about.
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
  // A broken pipe is the end of the process, which is heard of.
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
