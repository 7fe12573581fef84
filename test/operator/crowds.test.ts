import { expect, it } from 'vitest';
import type { Task } from '../../src/hook/task.ts';
import { createMetrics } from '../../src/metrics.ts';
import { countCrowds } from '../../src/operator/queues/crowds.ts';
import { Queue } from '../../src/queue/queue.ts';
import { hookWith, onStartupBinding } from '../support/bindings.ts';
import { metricValues } from '../support/metric-values.ts';
import { taskOf } from '../support/unit-rig.ts';

const METRIC = 'd8_telemetry_tasks_queue_compaction_tasks_by_hook';

function queueOf(name: string): Queue<Task> {
  return new Queue<Task>({ name, combine: (waiting) => waiting, handle: async () => ({ type: 'done' }) });
}

function tasks(hook: string, count: number): readonly Task[] {
  return Array.from({ length: count }, () => taskOf(hookWith(hook), { type: 'onStartup', binding: onStartupBinding }));
}

it('tasks of a hook are counted for each queue where they are more than 20', () => {
  const [main, other, metrics] = [queueOf('main'), queueOf('other'), createMetrics('')];
  main.push(...tasks('a.sh', 21), ...tasks('b.sh', 20));
  other.push(...tasks('a.sh', 15), ...tasks('b.sh', 15));

  countCrowds([main, other], metrics);

  expect(metricValues(metrics, METRIC)).toEqual(['{queue_name="main",hook="a.sh"} 21']);
});

it('crowds are gone when the queue is shorter again', () => {
  const [main, metrics] = [queueOf('main'), createMetrics('')];
  main.push(...tasks('a.sh', 30));
  countCrowds([main], metrics);

  main.drop(() => true);
  countCrowds([main], metrics);

  expect(metricValues(metrics, METRIC)).toEqual([]);
});
