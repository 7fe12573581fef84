/*
 * The guard of `hooklet lock`: a process beside it that ends the command when `hooklet lock` cannot. It says that it is
 * there before the command is started. The first line of its input is the process or group to end, as a number for
 * `kill`; each other line is the time until which the command may go on, in milliseconds of the monotonic clock of the
 * machine; the word `done` is the end of its work.
 */

import { createInterface } from 'node:readline';
import { machineMs } from './machine-time.ts';

const KILL_AFTER_MS = 1000;
let target: number | undefined;
let fence: NodeJS.Timeout | undefined;
let isDone = false;

const input = createInterface({ input: process.stdin });
process.stdout.write('ready\n');
input.on('line', (line) => {
  if (line === 'done') isDone = true;
  else if (target === undefined) {
    target = Number(line);
    return;
  }
  clearTimeout(fence);
  // Nothing was renewed, and `hooklet lock` did not end the command: it stands still.
  if (!isDone) fence = setTimeout(() => end('SIGKILL'), Number(line) - machineMs());
});
// Its input ends with `hooklet lock`, however that ends.
input.on('close', () => {
  clearTimeout(fence);
  if (isDone) return;
  end('SIGTERM');
  setTimeout(() => end('SIGKILL'), KILL_AFTER_MS);
});

function end(signal: NodeJS.Signals): void {
  if (target === undefined) return;
  try {
    process.kill(target, signal);
  } catch {
    // It has ended.
  }
}
