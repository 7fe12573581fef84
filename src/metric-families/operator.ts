import type { MetricRegistry } from '../lib/metric-registry.ts';
import { RUN_LABELS } from './runs.ts';

const QUEUE_SECONDS = [0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const WAIT_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];
const LOOP_DELAY_SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const QUEUE_LABELS = ['queue_name', 'hook'] as const;

/** The metrics of the operator and its queues. */
export function operatorMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    liveTicks: counter('live_ticks', 'Grows by one every 10 seconds while the operator is alive.'),
    tasksQueueLength: gauge('tasks_queue_length', 'Tasks that wait in a queue or run.', ['queue']),
    tasksQueueActionSeconds: histogram(
      'tasks_queue_action_duration_seconds',
      'Time of one operation on a queue.',
      ['queue_name', 'queue_action'],
      QUEUE_SECONDS,
    ),
    taskWaitSeconds: counter(
      'task_wait_in_queue_seconds_total',
      'Time tasks spent in a queue before they ran.',
      RUN_LABELS,
    ),
    taskWaitDuration: histogram(
      'task_wait_in_queue_seconds',
      'Time a task spent in a queue before it ran.',
      RUN_LABELS,
      WAIT_SECONDS,
    ),
    spawnerRestarts: counter(
      'spawner_restarts_total',
      'How often the process that starts hooks ended, or did not answer and was killed, and was started again.',
    ),
    runFolderRestored: counter(
      'run_folder_restored_total',
      'How often the folder for the files of runs was removed by another program and created again.',
    ),
    logLinesDropped: counter(
      'log_lines_dropped_total',
      'Log lines that were lost because standard output was not read.',
    ),
    runHistoryDropped: counter(
      'run_history_dropped_total',
      'Records of runs that were not written to --run-history, because it failed or was too slow.',
    ),
    traceSpansDropped: counter(
      'trace_spans_dropped_total',
      'Spans of traces that were not sent, because the collector did not take them.',
    ),
    hooksBroken: gauge('hooks_broken', 'Hooks that could not be loaded.'),
    leaderElectionStatus: gauge(
      'leader_election_master_status',
      '1 while this replica is the leader by the lease of this name, else 0; only with --leader-elect.',
      ['name'],
    ),
  };
}

/** How tasks in queues are merged. The prefix is not first in these names, as in those of shell-operator. */
export function compactionMetrics({ beginningWith, prefix }: MetricRegistry) {
  const { counter, gauge } = beginningWith(`d8_telemetry_${prefix}`);
  return {
    queueCompactions: counter(
      'tasks_queue_compaction_operations_total',
      'How often tasks of a hook that waited in a queue were merged into one.',
      QUEUE_LABELS,
    ),
    tasksByHook: gauge(
      'tasks_queue_compaction_tasks_by_hook',
      'Tasks of a hook in a queue, where they are more than 20; counted every 10 seconds.',
      QUEUE_LABELS,
    ),
  };
}

/** The metrics of dry runs. */
export function dryRunMetrics({ counter }: MetricRegistry) {
  return {
    shadowDifferences: counter(
      'shadow_differences_total',
      'Objects that another version left otherwise than the dry run of --shadow would have.',
      ['hook'],
    ),
  };
}

/** How busy the event loop and the heap are. */
export function loadMetrics({ counter, histogram }: MetricRegistry) {
  return {
    loopDelaySeconds: histogram(
      'event_loop_delay_seconds',
      'How late timers fire; measured every 10 ms under load, else once a second.',
      [],
      LOOP_DELAY_SECONDS,
    ),
    loopBusySeconds: counter('event_loop_busy_seconds_total', 'Time in which the event loop did not wait.'),
    heapAllocatedBytes: counter('heap_allocated_bytes_total', 'Bytes that were allocated on the JavaScript heap.'),
  };
}
