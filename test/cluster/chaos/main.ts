import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// Starts the control plane in the same way as the cluster tests. `npm run chaos -- 330` is about the example 330, without
// a number it is about the repair of etcd members.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Of an example: how many faults there are.
    rounds: { type: 'string', default: '50' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    // The data that each cluster holds.
    megabytes: { type: 'string', default: '0' },
    // Restricts the faults of members to those whose name matches.
    faults: { type: 'string', default: '' },
  },
});
const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000));
const { minutes, megabytes, faults, rounds } = values;
const [what = 'etcd-repair'] = positionals;
const problems = [
  ...(/^[a-z0-9-]+$/.test(what) ? [] : [`got ${what}, expected the number of an example, such as 330`]),
  ...(/^[1-9][0-9]{0,3}$/.test(rounds) ? [] : [`--rounds: got ${rounds}, expected a whole number from 1 to 9999`]),
  ...(Number(minutes) > 0 ? [] : [`--minutes: got ${minutes}, expected a number above 0`]),
  ...(/^[0-9]{1,4}$/.test(megabytes) ? [] : [`--megabytes: got ${megabytes}, expected a whole number up to 9999`]),
  ...(Number.isSafeInteger(Number(seed)) ? [] : [`--seed: got ${seed}, expected a whole number`]),
];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(2);
}
const amount = positionals.length > 0 ? `${rounds} rounds` : `${minutes} minutes, ${megabytes} MB in each cluster`;
console.log(`${what}: seed ${seed}, ${amount}`);

const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url));
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(
  process.execPath,
  [vitest, 'run', `chaos/${what}`, '--config', config, '--disable-console-intercept'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      CHAOS_MINUTES: minutes,
      CHAOS_SEED: seed,
      CHAOS_MEGABYTES: megabytes,
      CHAOS_FAULTS: faults,
      CHAOS_ROUNDS: rounds,
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
await once(child, 'exit');
process.exitCode = child.exitCode ?? 1;
