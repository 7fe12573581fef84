import { openFilters } from '../../src/filter/filters.ts';
import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { newTask, type Task } from '../../src/hook/task.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createClusterAccess } from '../../src/operator/cluster-access.ts';
import { createUnitFactory } from '../../src/operator/unit-factory.ts';
import { ScheduledRuns } from '../../src/sources/schedule/scheduled-runs.ts';
import { MemoryRecords } from '../../src/state/records.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding } from '../support/bindings.ts';
import { deafObserver } from '../support/idle-schedule.ts';
import { metricValues } from '../support/metric-values.ts';
import { sandboxCluster, until } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { describeTask } from '../support/unit-rig.ts';

async function factoryRig() {
  const sandbox = await sandboxForTest();
  const metrics = createMetrics('');
  const log = recordingLogger();
  const tasks: Task[] = [];
  const options = { connect: sandboxCluster(sandbox), userAgent: 'test' };
  const access = await createClusterAccess(options, { log, metrics });
  const createUnit = createUnitFactory({
    access,
    filters: openFilters(),
    emit: (hook, trigger) => void tasks.push(newTask(hook, trigger, 0)),
    requeue: (task) => void tasks.push(task),
    schedules: {
      me: 'test',
      recordsOf: () => new MemoryRecords(),
      scheduledRuns: new ScheduledRuns(),
      replace: () => {},
      observer: deafObserver,
    },
    metrics,
    log,
  });
  return { sandbox, metrics, log, tasks, access, createUnit };
}

describe('a unit of the operator', () => {
  it('starts the metrics of its bindings at 0', async () => {
    const { metrics, createUnit } = await factoryRig();
    createUnit(hookWith('hook.sh', [onStartupBinding, scheduleBinding('clock'), kubernetesBinding('pods')]));

    const text = metrics.text();

    expect(text).toContain('hook_run_success_total{hook="hook.sh",binding="",queue=""} 0');
    expect(text).toContain('hook_run_errors_total{hook="hook.sh",binding="clock",queue="main"} 0');
    expect(text).toContain('kube_filter_errors_total{hook="hook.sh",binding="pods",queue="main"} 0');
    expect(text).toContain('hook_enable_kubernetes_bindings_success{hook="hook.sh"} 0');
  });

  it('starts the metrics of both queues at 0 where Synchronization and events run apart', async () => {
    const { metrics, createUnit } = await factoryRig();
    createUnit(hookWith('hook.sh', [kubernetesBinding('pods', { queue: 'side' })]));

    const text = metrics.text();

    expect(text).toContain('hook_run_success_total{hook="hook.sh",binding="pods",queue="main"} 0');
    expect(text).toContain('hook_run_success_total{hook="hook.sh",binding="pods",queue="side"} 0');
    expect(text).toContain('tasks_queue_length{queue="side"} 0');
  });

  it('watches with its filters, and says when its hook is enabled', async () => {
    const { sandbox, metrics, tasks, access, createUnit } = await factoryRig();
    const names = kubernetesBinding('names', {
      kind: 'Namespace',
      filter: { type: 'jq', expression: '.metadata.name' },
      executeHookOnSynchronization: false,
    });
    const unit = createUnit(hookWith('hook.sh', [names]));
    const controller = new AbortController();
    const ended = unit.run(controller.signal);
    await unit.synced;
    expect(unit.objects(names).map(({ filterResult }) => filterResult)).toContain('"default"');

    unit.enable();
    await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } });
    await until(() => expect(tasks.map(describeTask)).toEqual(['names/new']));

    expect(metricValues(metrics, 'hook_enable_kubernetes_bindings_success')).toEqual(['{hook="hook.sh"} 1']);
    controller.abort();
    await ended;
    await access.client.close();
  });

  it('tells and counts what keeps a binding from getting on', async () => {
    const { metrics, log, access, createUnit } = await factoryRig();
    const unit = createUnit(hookWith('hook.sh', [kubernetesBinding('none', { kind: 'NoSuchKind' })]));
    const controller = new AbortController();
    const ended = unit.run(controller.signal);
    await unit.settled;

    expect(metricValues(metrics, 'hook_enable_kubernetes_bindings_errors_total')).toEqual(['{hook="hook.sh"} 1']);
    expect(log.lines).toContainEqual({
      level: 'warn',
      message: 'binding waits for the cluster, it is tried again',
      fields: { hook: 'hook.sh', binding: 'none', err: expect.objectContaining({ name: 'KindNotFoundError' }) },
    });
    controller.abort();
    await ended;
    await access.client.close();
  });
});
