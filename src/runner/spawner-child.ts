import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { latch } from '../lib/latch.ts';
import { siblingModule } from './sibling-module.ts';

// It makes little garbage and works in one thread. A flag that changes how V8 compiles would cost a third more of the
// time to start: the code that node brings along is compiled without.
const NODE_FLAGS = ['--max-semi-space-size=1', '--single-threaded-gc', '--v8-pool-size=0'];

/** A spawner process on its way up; it waits for its settings. */
export interface SpawnerChild {
  readonly child: ChildProcess;
  /** Requests go there and reports come from there; absent when the process could not be started. */
  readonly channel: Socket | undefined;
  /** Resolves with how it ended, after its last report. */
  readonly ended: Promise<string>;
}

/** Starts a spawner process; `entry` is its file, by default the one beside this module. */
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
  // `close`, not `exit`: its last reports may still be on their way.
  child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  const channel = child.stdio[3];
  // A broken connection ends the child, and that is handled.
  if (channel instanceof Socket) channel.on('error', () => {});
  return { child, channel: channel instanceof Socket ? channel : undefined, ended };
}
