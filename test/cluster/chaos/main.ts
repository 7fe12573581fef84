import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// The control plane is that of the cluster tests, so it is started as they start it.
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' }, twin: { type: 'string' } },
});
const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000));
const { twin = 'shell', minutes } = values;
if (!['shell', 'typescript'].includes(twin)) throw new Error(`--twin is ${twin}, expected shell or typescript`);
if (!(Number(minutes) > 0)) throw new Error(`--minutes is ${minutes}, expected a number above 0`);
console.log(`seed ${seed}, ${minutes} minutes, the hook in ${twin}`);

const config = fileURLToPath(new URL('vitest.config.ts', import.meta.url));
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));
const child = spawn(process.execPath, [vitest, 'run', '--config', config, '--disable-console-intercept'], {
  stdio: 'inherit',
  env: { ...process.env, CHAOS_MINUTES: minutes, CHAOS_SEED: seed, CHAOS_TWIN: twin },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
await once(child, 'exit');
process.exitCode = child.exitCode ?? 1;
