import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { latch } from '../lib/latch.ts';
import { siblingModule } from './sibling-module.ts';

// The process creates little garbage and uses one thread. A flag that changes how V8 compiles would make the start a
// third slower, because the code that Node ships is compiled without it.
const NODE_FLAGS = ['--max-semi-space-size=1', '--single-threaded-gc', '--v8-pool-size=0'];

/** A spawner process that is starting, or was reset; it waits for its settings. */
export interface SpawnerChild {
  readonly child: Pick<ChildProcess, 'pid' | 'kill'>;
  /** The channel of requests and reports; undefined when the process could not be started. */
  readonly channel: SpawnerChannel | undefined;
  /** Resolves with the way it ended, after its last report. */
  readonly ended: Promise<string>;
}

/** What is used of the socket to a spawner process. */
export interface SpawnerChannel {
  readonly writable: boolean;
  write(text: string): boolean;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  /** Ends the process, in order. */
  end(): unknown;
  destroy(): unknown;
}

/** Starts a spawner process; `entry` is its file, by default the one next to this module. */
export function startSpawnerChild(
  env: Readonly<Record<string, string | undefined>>,
  entry = siblingModule('spawner-process'),
): SpawnerChild {
  const child = spawn(process.execPath, [...NODE_FLAGS, entry], {
    env: { ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const { promise: ended, resolve } = latch<string>();
  child.once('error', (error) => resolve(error.message));
  // `close`, not `exit`: the last reports may still be in transit.
  child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  const channel = child.stdio[3];
  // A broken channel ends the child, which is handled.
  if (channel instanceof Socket) channel.on('error', () => {});
  return { child, channel: channel instanceof Socket ? channel : undefined, ended };
}
