import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PatchOperation } from '../../src/effects/operation.ts';
import { HookFailedError, HookOutputError, PatchError } from '../../src/errors.ts';
import { createMetrics, type Metrics } from '../../src/metrics.ts';
import { runTask, type HookRequests, type TaskRunOptions } from '../../src/operator/task-run.ts';
import type { RunResult } from '../../src/runner/runner.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { never } from '../support/hook-rig.ts';
import { metricValues } from '../support/metric-values.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const LABELS = '{hook="hook.sh",binding="pods",queue="main"}';
const operation: PatchOperation = {
  operation: 'MergePatch',
  target: { kind: 'ConfigMap' },
  name: 'cm',
  namespace: 'default',
  mergePatch: {},
  ignoreMissingObject: false,
  ignoreHookError: false,
};
const requests: HookRequests = { operations: [operation], metrics: [], warnings: [] };
const succeeded: RunResult = {
  durationMs: 20,
  usage: { userCpuMs: 10, systemCpuMs: 5, maxRssBytes: 1000 },
  outputs: { patch: 'the patch', metrics: 'the metrics', admission: '', conversion: '' },
};
const failed = (patch: string, written = '') =>
  new HookFailedError('exit 3', {
    failure: { durationMs: 30, exitCode: 3, timedOut: false, usage: {}, patch, metrics: written },
  });

let metrics: Metrics;
let log: ReturnType<typeof recordingLogger>;

beforeEach(() => {
  vi.useFakeTimers({ now: 10_000 });
  metrics = createMetrics('');
  log = recordingLogger();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Runs a task that was queued two seconds ago; resolves to what was done, in order. */
async function run(options: Partial<TaskRunOptions> = {}): Promise<{ did: readonly string[]; error?: unknown }> {
  const did: string[] = [];
  const binding = kubernetesBinding('pods');
  const task = taskOf(hookWith('hook.sh', [binding]), eventOf(binding, 'web'), { queuedAtMs: 8000 });
  const place = { queue: 'main', read: () => [] };
  const all: TaskRunOptions = {
    runner: {
      run: async ({ contexts }) => {
        did.push(`run ${JSON.parse(Buffer.concat(contexts).toString())[0].binding}`);
        return succeeded;
      },
    },
    parse: async (hook, outputs) => {
      did.push(`parse ${hook}: ${outputs.patch}, ${outputs.metrics}`);
      return requests;
    },
    parseAfterFailure: {
      patch: async (patch) => {
        did.push(`parse after failure: ${patch}`);
        return [operation];
      },
      metrics: async (text) => {
        did.push(`parse after failure: ${text}`);
        return [];
      },
    },
    apply: async (operations, onApplied) => {
      did.push(`apply ${operations.length}`);
      onApplied({ index: 1, operation: 'MergePatch', target: 'v1/ConfigMap/default/cm', change: 'patched' });
    },
    applyMetrics: (hook) => void did.push(`metrics of ${hook}`),
    metrics,
    log,
    ...options,
  };
  try {
    await runTask(task, place, all, never);
    return { did };
  } catch (error) {
    return { did, error };
  }
}

describe('a run that succeeds', () => {
  it('is read whole before anything is applied, and its metrics count after its patches', async () => {
    expect(await run()).toEqual({
      did: ['run pods', 'parse hook.sh: the patch, the metrics', 'apply 1', 'metrics of hook.sh'],
    });
  });

  it('is measured once: its wait, its time, its cost', async () => {
    await run();

    expect(metricValues(metrics, 'task_wait_in_queue_seconds_total')).toEqual([`${LABELS} 2`]);
    expect(metricValues(metrics, 'task_wait_in_queue_seconds')).toEqual([`${LABELS} 1`]);
    expect(metricValues(metrics, 'hook_run_seconds')).toEqual([`${LABELS} 1`]);
    expect(metricValues(metrics, 'hook_run_user_cpu_seconds')).toEqual([`${LABELS} 1`]);
    expect(metricValues(metrics, 'hook_run_max_rss_bytes')).toEqual([`${LABELS} 1000`]);
    expect(metricValues(metrics, 'hook_run_success_total')).toEqual([`${LABELS} 1`]);
  });

  it('is told with what it changed', async () => {
    await run();

    const place = { hook: 'hook.sh', binding: 'pods', queue: 'main', event: 'Added default/web' };
    expect(log.lines).toEqual([
      {
        level: 'info',
        message: 'patch applied',
        fields: { hook: 'hook.sh', operation: 'MergePatch', object: 'v1/ConfigMap/default/cm', change: 'patched' },
      },
      { level: 'info', message: 'hook finished', fields: { ...place, durationMs: 20, patches: 1 } },
    ]);
  });

  it.each(['unchanged', 'absent'] as const)('does not tell a patch that left all as it was: %s', async (change) => {
    await run({
      apply: async (_, onApplied) =>
        onApplied({ index: 1, operation: 'MergePatch', target: 'v1/ConfigMap/default/cm', change }),
    });

    expect(log.lines.find(({ message }) => message === 'patch applied')?.level).toBe('debug');
  });

  it('has its likely mistakes told', async () => {
    await run({ parse: async () => ({ ...requests, warnings: ['operation 1: name has no meaning here'] }) });

    expect(log.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'hook wrote what is likely a mistake',
        fields: expect.objectContaining({ warning: 'operation 1: name has no meaning here' }),
      }),
    );
  });

  it('counts for nothing when what it wrote cannot be read', async () => {
    const error = new HookOutputError('METRICS_PATH, line 1: no name');

    const result = await run({
      parse: () => {
        throw error;
      },
    });

    expect(result).toEqual({ did: ['run pods'], error });
    expect(metricValues(metrics, 'hook_run_success_total')).toEqual([]);
    expect(metricValues(metrics, 'hook_run_seconds')).toEqual([`${LABELS} 1`]);
  });

  it('counts for nothing when its patches fail', async () => {
    const error = new PatchError('1 of 1 failed');

    const result = await run({ apply: async () => Promise.reject(error) });

    expect(result).toEqual({ did: ['run pods', 'parse hook.sh: the patch, the metrics'], error });
    expect(metricValues(metrics, 'hook_run_success_total')).toEqual([]);
  });
});

describe('a run that fails', () => {
  const failing = (error: Error) => ({ run: async () => Promise.reject(error) });

  it('has the operations with ignoreHookError applied, and fails all the same', async () => {
    const error = failed('the patch');

    const result = await run({ runner: failing(error) });

    expect(result).toEqual({ did: ['parse after failure: the patch', 'apply 1'], error });
    expect(metricValues(metrics, 'hook_run_seconds')).toEqual([`${LABELS} 1`]);
    expect(metricValues(metrics, 'hook_run_success_total')).toEqual([]);
    expect(log.lines.find(({ message }) => message === 'patch applied')?.fields).toEqual({
      hook: 'hook.sh',
      operation: 'MergePatch',
      object: 'v1/ConfigMap/default/cm',
      change: 'patched',
    });
  });

  it('has nothing applied when it wrote nothing, or did not get as far as running', async () => {
    expect((await run({ runner: failing(failed('')) })).did).toEqual([]);
    expect((await run({ runner: failing(new HookFailedError('no such file')) })).did).toEqual([]);
  });

  it('has its metrics with ignoreHookError counted, also when its patches are refused', async () => {
    const error = failed('the patch', 'the metrics');

    const result = await run({ runner: failing(error), apply: async () => fail() });

    expect(result).toEqual({
      did: ['parse after failure: the patch', 'parse after failure: the metrics', 'metrics of hook.sh'],
      error,
    });
  });

  it('keeps its own error when its metrics cannot be read', async () => {
    const error = failed('', 'the metrics');

    const result = await run({
      runner: failing(error),
      parseAfterFailure: { patch: async () => [], metrics: async () => fail() },
    });

    expect(result).toEqual({ did: [], error });
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toContain(
      'warn metrics of the failed run could not be applied',
    );
  });

  it.each([
    ['cannot be read', { parseAfterFailure: { patch: async () => fail(), metrics: async () => [] } }],
    ['are refused', { apply: async () => fail() }],
  ])('keeps its own error when those operations %s', async (_, options) => {
    const error = failed('the patch');

    const result = await run({ runner: failing(error), ...options });

    expect(result.error).toBe(error);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toContain(
      'warn patches of the failed run could not be applied',
    );
  });
});

function fail(): never {
  throw new Error('refused');
}
