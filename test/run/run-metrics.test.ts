import { expect, it } from 'vitest';
import { createMetrics } from '../../src/metrics.ts';
import { endedWhole } from '../../src/run/journal.ts';
import { runMetrics } from '../../src/run/run-metrics.ts';
import { newRun } from '../../src/run/run.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { metricValues } from '../support/metric-values.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const LABELS = '{hook="hook.sh",binding="pods",queue="main"}';

it('a run is measured once: its wait, its time, its cost', () => {
  const metrics = createMetrics('');
  const journal = runMetrics(metrics);
  const binding = kubernetesBinding('pods');
  const run = newRun(taskOf(hookWith('hook.sh', [binding]), eventOf(binding, 'web')), 'main');
  const cost = { durationMs: 20, usage: { userCpuMs: 10, systemCpuMs: 5, maxRssBytes: 1000 } };

  journal.record({ type: 'started', run, waitedMs: 2000 });
  journal.record({ type: 'executed', run, cost });
  journal.record(endedWhole(run, { type: 'succeeded', cost, applied: [] }, { type: 'done' }));

  expect(metricValues(metrics, 'task_wait_in_queue_seconds_total')).toEqual([`${LABELS} 2`]);
  expect(metricValues(metrics, 'task_wait_in_queue_seconds')).toEqual([`${LABELS} 1`]);
  expect(metricValues(metrics, 'hook_run_seconds')).toEqual([`${LABELS} 1`]);
  expect(metricValues(metrics, 'hook_run_user_cpu_seconds')).toEqual([`${LABELS} 1`]);
  expect(metricValues(metrics, 'hook_run_sys_cpu_seconds')).toEqual([`${LABELS} 1`]);
  expect(metricValues(metrics, 'hook_run_max_rss_bytes')).toEqual([`${LABELS} 1000`]);
  expect(metricValues(metrics, 'hook_run_success_total')).toEqual([`${LABELS} 1`]);
});
