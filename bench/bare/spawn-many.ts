import { spawn } from 'node:child_process';

// Runs the same hook a given number of times, a given number at once, and does nothing else.
const { BARE_HOOK: hook = '', BARE_RUNS: runs = '0', BARE_AT_ONCE: atOnce = '1' } = process.env;
let left = Number(runs);

function next(): void {
  if (left-- > 0) spawn(hook, [], { stdio: 'ignore' }).once('exit', next);
}

process.stdout.write('ready\n');
for (let index = 0; index < Number(atOnce); index++) next();
// The parent process ends it.
setInterval(() => {}, 60_000);
