import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startSandbox } from '@hooklet/sandbox';

// Writes V8's compile cache of the bundle next to it, for a start and for the commands that hooks call. So in an image
// with a read-only file system each start is as fast as a second one. Arguments: the ids of the users who will run the
// image.
const TIME_LIMIT_MS = 60_000;
const HOOK = `#!/bin/sh
if [ "$1" = --config ]; then
  echo '{"configVersion":"v1","onStartup":1,"kubernetes":[{"kind":"ConfigMap","jqFilter":".metadata.name"}]}'
fi
`;
// The commands that hooks call, and `version`, with an object on standard input.
const COMMANDS = [['jq', '-c', '.metadata | {name, labels}'], ['filter', '.metadata.labels'], ['version']];
const OBJECT = '{"metadata":{"name":"a","labels":{"b":"c"}}}';
const dist = join(import.meta.dirname, '..', 'dist');
const compiled = join(dist, 'compiled');

rmSync(compiled, { recursive: true, force: true });
mkdirSync(compiled, 0o755);
await startOnce();
for (const args of COMMANDS) execFileSync(process.execPath, [join(dist, 'main.js'), ...args], { input: OBJECT });
const [own] = readdirSync(compiled);
if (own === undefined) throw new Error(`nothing was compiled to ${compiled}`);
for (const file of readdirSync(join(compiled, own))) chmodSync(join(compiled, own, file), 0o644);
// Node has a separate cache folder for each user, whose id is the last part of its name.
for (const user of process.argv.slice(2)) {
  const copy: string = own.replace(/\d+$/, user);
  if (copy !== own) symlinkSync(own, join(compiled, copy));
}

async function startOnce(): Promise<void> {
  await using sandbox = await startSandbox({ anonymous: true });
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-compile-'));
  try {
    const hooksDir = join(folder, 'hooks');
    const kubeconfig = join(folder, 'kubeconfig');
    mkdirSync(hooksDir);
    writeFileSync(join(hooksDir, 'start.sh'), HOOK, { mode: 0o755 });
    writeFileSync(kubeconfig, sandbox.kubeconfig());
    const flags = ['--hooks-dir', hooksDir, '--tmp-dir', join(folder, 'tmp'), '--kube-config', kubeconfig];
    const args = [join(dist, 'main.js'), 'start', ...flags, '--listen-port', '0', '--log-format', 'json'];
    await endWhenSynchronized(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Ends the process with SIGTERM when its hooks have run, because Node writes the compile cache only at a normal exit.
 */
async function endWhenSynchronized(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), TIME_LIMIT_MS);
  if (child.stdout === null) throw new Error('no output to read');
  let runs = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('"msg":"hook finished"') && ++runs === 2) child.kill('SIGTERM');
  }
  const [exitCode] = await ended;
  clearTimeout(timer);
  if (exitCode !== 0) throw new Error(`hooklet start ended with ${exitCode} after ${runs} runs, expected 2 and then 0`);
}
