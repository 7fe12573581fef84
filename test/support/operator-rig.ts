import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { createCluster, type Cluster } from '../../src/kube/credentials/cluster.ts';
import { Channel } from '../../src/lib/channel.ts';
import { runOperator, type OperatorOptions } from '../../src/operator/run-operator.ts';
import { temporaryFolder } from './hook-rig.ts';
import { recordingLogger, type LogLine } from './recording-logger.ts';

const PROGRAM = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** One binding context as a hook saw it. */
export type SeenContext = Readonly<Record<string, unknown>>;

export interface OperatorRig extends AsyncDisposable {
  readonly lines: readonly LogLine[];
  /** The folder that hooks know as `$OUT`. */
  readonly out: string;
  /** Where metrics and health are served; known once the server listens. */
  url(): string;
  /** The runs of a recording hook so far, each with its contexts. */
  runs(hook: string): readonly (readonly SeenContext[])[];
  /** All contexts of a recording hook so far. */
  contexts(hook: string): readonly SeenContext[];
  /** Writes a hook while the operator runs, and reloads it; without text the hook is removed. */
  change(hook: string, text?: string): void;
  /** Stops the operator as SIGTERM does; resolves when it has ended. */
  stop(): Promise<void>;
}

export interface RigOptions {
  /** The hooks by name, as text, for example from `recordingHook`. */
  readonly hooks?: Readonly<Record<string, string>>;
  /** A folder of hooks to run in place, instead of `hooks`. */
  readonly hooksDir?: string;
  readonly connect: () => Promise<Cluster>;
  /** Added to the environment of the hooks. */
  readonly env?: Readonly<Record<string, string>>;
  readonly operator?: Partial<OperatorOptions>;
}

/** Runs an operator in this process, with hooks that are real scripts. */
export function startOperator({ hooks = {}, connect, env, operator, ...given }: RigOptions): OperatorRig {
  const tmp = temporaryFolder();
  const hooksDir = given.hooksDir ?? join(tmp.path, 'hooks');
  const out = join(tmp.path, 'out');
  mkdirSync(hooksDir, { recursive: true });
  mkdirSync(out);
  for (const [name, text] of Object.entries(hooks)) writeHook(join(hooksDir, name), text);
  const log = recordingLogger();
  const controller = new AbortController();
  const changes = new Channel<void>();
  const running = runOperator(
    {
      hooksDir,
      tmpDir: join(tmp.path, 'tmp'),
      keepTmpFiles: false,
      listenAddress: '127.0.0.1',
      listenPort: 0,
      metricsPrefix: 'shell_operator_',
      cluster: { connect, userAgent: 'hooklet-test' },
      gracePeriodMs: 5000,
      logProxyHookJson: false,
      env: { ...process.env, ...env, OUT: out },
      program: { node: process.execPath, program: PROGRAM },
      changes: (signal) => {
        signal.addEventListener('abort', () => changes.close(), { once: true });
        return changes;
      },
      log,
      ...operator,
    },
    controller.signal,
  );
  // Rethrown by `stop`; until then it must not count as unhandled.
  running.catch(() => {});
  const runs = (hook: string): readonly (readonly SeenContext[])[] => readRuns(join(out, hook));
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
  };
  return {
    lines: log.lines,
    out,
    url: () => String(log.lines.find(({ fields }) => fields['url'] !== undefined)?.fields['url']),
    runs,
    contexts: (hook) => runs(hook).flat(),
    change(hook, text) {
      if (text === undefined) rmSync(join(hooksDir, hook));
      else writeHook(join(hooksDir, hook), text);
      changes.push(undefined);
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop().finally(() => tmp[Symbol.dispose]());
    },
  };
}

/** The cluster of a sandbox. */
export function sandboxCluster({ url, token }: Sandbox): () => Promise<Cluster> {
  const headers = { authorization: `Bearer ${token}` };
  return async () =>
    createCluster({ name: 'sandbox', server: new URL(url) }, [
      { read: async () => ({ headers }), invalidate: () => {} },
    ]);
}

/** A shell hook that writes the contexts of each run to a file of its own, then runs `body`. */
export function recordingHook(config: unknown, body = ''): string {
  return `#!/bin/sh
set -eu
if [ "\${1:-}" = --config ]; then
cat <<'CONFIG'
${JSON.stringify(config)}
CONFIG
exit
fi
name=$(basename "$0")
mkdir -p "$OUT/$name"
record=$(date +%s%N).$$
cat "$BINDING_CONTEXT_PATH" > "$OUT/$name/.$record"
mv "$OUT/$name/.$record" "$OUT/$name/$record"
${body}
`;
}

/** Waits until `check` no longer throws; the limit is a guard against hanging. */
export async function until(check: () => void | Promise<void>, timeoutMs = 45_000): Promise<void> {
  await expect
    .poll(async () => passes(check), { timeout: timeoutMs, interval: 10 })
    .toBe(true)
    .catch(check);
}

async function passes(check: () => void | Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch {
    return false;
  }
}

/** Writes a hook as a program, if it is a script. */
export function writeHook(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (text.startsWith('#!')) chmodSync(path, 0o755);
}

function readRuns(folder: string): readonly (readonly SeenContext[])[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return names.toSorted().map((name): readonly SeenContext[] => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}
