import { metricRegistry } from '../../lib/metric-registry.ts';

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

/** What the metrics read when they are asked for. */
export interface WorkerState {
  readonly held: number;
  readonly capacity: number;
  readonly isConnected: boolean;
}

const OUTCOMES = ['succeeded', 'later', 'failed', 'lost'];

/** The metrics of a worker. */
export function createWorkerMetrics(state: () => WorkerState) {
  const registry = metricRegistry('hooklet_');
  const { counter, gauge } = registry;
  const runs = counter('worker_runs_total', 'Runs that this worker had, by how they ended.', ['outcome']);
  const held = gauge('worker_runs_held', 'Runs that this worker has.');
  const capacity = gauge('worker_capacity', 'Runs that this worker may have.');
  const connected = gauge('worker_connected', 'Whether an operator that leads answers this worker.');
  for (const outcome of OUTCOMES) runs.of({ outcome });
  registry.beforeRead.add(() => {
    const now = state();
    held.set({}, now.held);
    capacity.set({}, now.capacity);
    connected.set({}, now.isConnected ? 1 : 0);
  });
  return {
    runs,
    families: registry.families(),
    text: (): string => [...registry.pieces()].join(''),
  };
}
