import { readFileSync, writeFileSync } from 'node:fs';

// Preloaded into the measured program: at SIGUSR2 it writes the longest pause of the event loop since the last SIGUSR2
// to `$BENCH_PAUSES`, in milliseconds, without the time in which the thread waited for a processor.
let lastMs = workedMs();
let longestMs = 0;

function tick(): void {
  const now = workedMs();
  longestMs = Math.max(longestMs, now - lastMs);
  lastMs = now;
  setTimeout(tick, 1).unref();
}

/** The current time minus the total time in which this thread waited for a processor. */
function workedMs(): number {
  const waitedNs = Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]);
  return performance.now() - waitedNs / 1e6;
}

tick();
process.on('SIGUSR2', () => {
  writeFileSync(process.env['BENCH_PAUSES'] ?? '', `${longestMs}\n`, { flag: 'a' });
  longestMs = 0;
});
