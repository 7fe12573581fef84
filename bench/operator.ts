import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROGRAM, type BenchStage } from './stage.ts';

export interface RunningOperator extends AsyncDisposable {
  readonly pid: number;
  /** Milliseconds from the start of the process to its first log line with this message. */
  said(message: string): Promise<number>;
}

export interface OperatorOptions {
  readonly hooksDir: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** `hooklet start` from the bundle, in a process of its own. */
export function startOperator(stage: BenchStage, { hooksDir, env = {} }: OperatorOptions): RunningOperator {
  const flags = ['--hooks-dir', hooksDir, '--kube-config', stage.kubeconfig, '--tmp-dir', join(stage.folder, 'tmp')];
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [PROGRAM, 'start', ...flags, '--log-format', 'json', '--log-level', 'debug', '--listen-port', '0'],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const seen = new Map<string, number>();
  const waiting = new Map<string, (atMs: number) => void>();
  createInterface(child.stdout).on('line', (line) => {
    const { msg }: { readonly msg: string } = JSON.parse(line);
    if (seen.has(msg)) return;
    seen.set(msg, performance.now() - startedAt);
    waiting.get(msg)?.(performance.now() - startedAt);
  });
  return {
    pid: child.pid ?? 0,
    said: async (message) => seen.get(message) ?? new Promise<number>((resolve) => void waiting.set(message, resolve)),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
