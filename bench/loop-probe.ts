import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into a program that is measured, before it: at SIGUSR2 it writes the longest pause of the event loop since the
// last one to `$BENCH_PAUSES`, in milliseconds.
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  writeFileSync(process.env['BENCH_PAUSES'] ?? '', `${delay.max / 1e6}\n`, { flag: 'a' });
  delay.reset();
});
