import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { send } from './server.ts';

// The minimum to run all hooks once: runs `--config` of each, two at a time, lists what they watch, and runs them one
// after the other.
const { BARE_HOOKS: folder = '', BARE_PATHS: paths = '' } = process.env;
const hooks = readdirSync(folder).toSorted();

async function run(hook: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(join(folder, hook), args, { stdio: ['ignore', args.length > 0 ? 'pipe' : 'ignore', 'ignore'] });
  const output = child.stdout === null ? '' : text(child.stdout);
  await new Promise((resolve) => child.once('exit', resolve));
  await output;
}

async function askAll(): Promise<void> {
  const left = hooks.values();
  const ask = async (): Promise<void> => {
    for (const hook of left) await run(hook, '--config');
  };
  await Promise.all([ask(), ask()]);
}

async function listAll(): Promise<void> {
  for (const path of paths.split(' ').filter(Boolean)) await text(await send(path));
}

process.stdout.write('ready\n');
await Promise.all([askAll(), listAll()]);
for (const hook of hooks) await run(hook);
