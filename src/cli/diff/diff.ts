import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HookletError, UsageError } from '../../errors.ts';
import { discoverHooks } from '../../hook/discover.ts';
import type { OperatorView } from '../../hook/operator-view.ts';
import { parseDuration } from '../../lib/duration.ts';
import { printable } from '../../lib/printable.ts';
import { shown } from '../../lib/shown.ts';
import { loadCluster } from '../../kube/credentials/load-cluster.ts';
import type { DryChange } from '../../operator/dry-run/dry-change.ts';
import { runOperator, type OperatorOptions } from '../../operator/run-operator.ts';
import { startOptions } from '../options/options.ts';
import { oneOf } from '../options/output-format.ts';
import { resolveOptions } from '../options/resolve.ts';
import { shutdownSignal } from '../shutdown.ts';
import { openLog } from '../options/open-log.ts';
import { operatorOptions } from '../start.ts';
import { untilAtRest, type Rest } from './at-rest.ts';
import { diffText } from './diff-text.ts';
import { removeTree } from '../../lib/remove-tree.ts';

export interface DiffFlags {
  readonly kubeConfig?: string;
  readonly kubeContext?: string;
  readonly timeout?: string;
  readonly output?: string;
}

const LIMIT_MS = 300_000;
const GRACE_MS = 2000;
const FAILED = 2;

/** `hooklet diff`: resolves to the exit code: 0 nothing would change, 1 something would, 2 it could not be found out. */
export async function diffCommand(given: string | undefined, flags: DiffFlags): Promise<number> {
  const format = oneOf(['text', 'json'], flags.output);
  const limitMs = limitOf(flags.timeout);
  const signal = shutdownSignal(() => {});
  using folder = temporaryFolder();
  const { kubeConfig, kubeContext } = flags;
  const options = operatorOf({ hooksDir: given, kubeConfig, kubeContext }, folder.path);
  await discoverHooks(options.hooksDir);
  try {
    const { changes, rest } = await findChanges(options, limitMs, signal);
    const text = format === 'json' ? `${JSON.stringify({ changes }, undefined, 2)}\n` : diffText(changes);
    process.stdout.write(printable(text));
    if (rest.type === 'done') return changes.length === 0 ? 0 : 1;
    for (const problem of rest.problems) process.stderr.write(printable(`hooklet: ${problem}\n`));
  } catch (error) {
    if (!(error instanceof HookletError) || error instanceof UsageError) throw error;
    process.stderr.write(printable(`hooklet: ${error.message}\n`));
  }
  return FAILED;
}

interface Found {
  readonly changes: readonly DryChange[];
  readonly rest: Rest;
}

async function findChanges(options: OperatorOptions, limitMs: number, signal: AbortSignal): Promise<Found> {
  const changes = new Map<string, DryChange>();
  const end = new AbortController();
  let view: OperatorView | undefined;
  let isLoaded = false;
  const running = runOperator(
    {
      ...options,
      dryRun: { onChange: (change) => changes.set(JSON.stringify([change.hook, change.object]), change) },
      onOpened: ({ operator }) => (view = operator.view),
      onLoaded: () => (isLoaded = true),
    },
    AbortSignal.any([signal, end.signal]),
  );
  try {
    const stop = AbortSignal.any([signal, end.signal]);
    const rest = untilAtRest({ view: () => view, isLoaded: () => isLoaded, now: Date.now, limitMs }, stop);
    // It never resolves before the operator is told to end, and rejects where it cannot start.
    const found = await Promise.race([rest, running.then((): Rest => ({ type: 'failed', problems: ['it ended'] }))]);
    return { changes: [...changes.values()].toSorted(compareChanges), rest: found };
  } finally {
    end.abort();
    await running.catch(() => {});
  }
}

function compareChanges(a: DryChange, b: DryChange): number {
  const [left, right] = [a, b].map(({ object, hook }) => `${object}\n${hook}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

function operatorOf(given: Readonly<Record<string, string | undefined>>, tmpDir: string): OperatorOptions {
  const flags = {
    ...given,
    tmpDir,
    logFormat: 'text',
    listenAddress: '127.0.0.1',
    listenPort: '0',
    httpTriggers: 'false',
  };
  const options = resolveOptions(startOptions, flags, process.env);
  const log = openLog({ ...options, logLevel: 'warn', logCompat: false }, 'text', (line) => {
    process.stderr.write(line);
  });
  const { kubeConfig, kubeContext } = options;
  const connect = async () =>
    loadCluster({
      env: process.env,
      ...(kubeConfig !== '' && { kubeConfigPath: kubeConfig }),
      ...(kubeContext !== '' && { context: kubeContext }),
    });
  const { controlSocket: _socket, ...rest } = operatorOptions({ ...options, gracePeriodMs: GRACE_MS }, connect, log);
  return { ...rest, debugHttpAddr: undefined, tracing: undefined };
}

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'hooklet-diff-'));
  return { path, [Symbol.dispose]: () => removeTree(path) };
}

function limitOf(given: string | undefined): number {
  const limitMs = given === undefined ? LIMIT_MS : parseDuration(given);
  if (limitMs !== undefined && limitMs > 0) return limitMs;
  throw new UsageError(`--timeout: received ${shown(given)}, expected a duration such as 30s or 5m`);
}
