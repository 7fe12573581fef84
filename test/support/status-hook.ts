import { onTestFinished, vi } from 'vitest';
import type { HookResult } from '../../src/hook/result.ts';
import { newTask } from '../../src/hook/task.ts';
import type { EventTrigger } from '../../src/hook/trigger.ts';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import type { RecordedEvent } from '../../src/kube/coordination/event-recorder.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { createWatches } from '../../src/kube/watch/shared-watches.ts';
import { createMetrics } from '../../src/metrics.ts';
import { ToldEvents } from '../../src/operator/results/told-events.ts';
import { createResultReport } from '../../src/operator/results/report-result.ts';
import { newRun, type RunOutcome } from '../../src/run/run.ts';
import type { RunCost } from '../../src/runner/executor.ts';
import { createMonitor } from '../../src/sources/kubernetes/monitor.ts';
import { noReconciler } from './no-reconciler.ts';
import { HookUnit } from '../../src/units/hook-unit.ts';
import { hookWith, kubernetesBinding } from './bindings.ts';
import { recordingLogger } from './recording-logger.ts';
import { GROUP, type StatusRig } from './status-rig.ts';

/** A result of a hook, as the parser would give it. */
export function resultWith(fields: Partial<HookResult>): HookResult {
  return { contexts: new Map(), conditions: [], events: [], ...fields };
}

/** What a run cost. */
export const COST: RunCost = { durationMs: 20, usage: {} };

/** An outcome of a run with this result. */
export function succeededWith(result: HookResult): RunOutcome {
  return { type: 'succeeded', cost: COST, applied: [], result };
}

/** A hook that watches `Mapped` objects by two bindings, and gives `result` after each run. */
export async function startStatusHook(cluster: Cluster, rig: StatusRig, result: (run: number) => HookResult) {
  const client = createKubeClient(cluster, { userAgent: 'hooklet-test' });
  const log = recordingLogger();
  const metrics = createMetrics('');
  const watches = createWatches({ client, kinds: rig.kinds, log, metrics });
  const namespace = { type: 'names', names: [rig.namespace] } as const;
  const fields = { kind: 'Mapped', apiVersion: `${GROUP}/v1`, namespace, executeHookOnSynchronization: false };
  const hook = hookWith('status.sh', [kubernetesBinding('one', fields), kubernetesBinding('two', fields)]);
  const runs: string[] = [];
  const recorded: RecordedEvent[] = [];
  const reports: Promise<void>[] = [];
  const controller = new AbortController();
  const unit = new HookUnit(hook, {
    emit: (trigger) => {
      if (trigger.type === 'event') reports.push(run(trigger));
    },
    requeue: () => {},
    createMonitor: (binding, listener) =>
      createMonitor(binding, { hook: hook.name, watches, kinds: rig.kinds, log, metrics, listener }),
    createSchedules: () => ({ schedules: [], run: async () => {} }),
    createReconciler: noReconciler,
    now: Date.now,
    onEnabled: () => {},
    onProblem: () => {},
  });
  const report = createResultReport({
    access: { client, kinds: rig.kinds },
    events: { record: (event) => void recorded.push(event) },
    told: new ToldEvents({ tell: async () => ({ type: 'off' }) }),
    beginStatusWrite: (_hook, place) => unit.beginStatusWrite(place),
    now: Date.now,
    log,
  });
  async function run(trigger: EventTrigger): Promise<void> {
    runs.push(`${trigger.binding.name} ${trigger.watchEvent} ${trigger.item.name}`);
    const outcome = succeededWith(result(runs.length));
    await report(newRun(newTask(hook, trigger, Date.now()), 'main'), outcome, controller.signal);
  }
  const ended = unit.run(controller.signal);
  onTestFinished(async () => {
    controller.abort();
    await ended;
    await Promise.all(reports);
    await watches.ended();
    await client.close();
  });
  await unit.synced;
  unit.enable();
  return {
    log,
    recorded,
    /** What ran, sorted; waits until there are as many runs, and their statuses are written. */
    until: async (count: number): Promise<readonly string[]> => {
      await vi.waitFor(
        () => {
          if (runs.length < count) throw new Error(`${runs.length} of ${count} runs`);
        },
        { timeout: 30_000, interval: 10 },
      );
      await Promise.all(reports);
      return runs.toSorted();
    },
  };
}
