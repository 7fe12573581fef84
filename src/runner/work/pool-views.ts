import type { WorkFloor } from './work-floor.ts';
import type { PoolView, WorkMetrics } from './work-options.ts';

/** The pools that have workers or runs, sorted by name; `hooks` is the digest of the operator. */
export function poolViews({ sessions, runs, rooms }: WorkFloor, hooks: string | undefined): readonly PoolView[] {
  const names = new Set([...sessions.pools, ...runs.pools, ...rooms.pools]);
  return [...names].toSorted().map((name) => {
    const fitting = sessions.fitting(name, hooks);
    return {
      name,
      workers: fitting.length,
      outdated: sessions.outdated(name, hooks).length,
      capacity: fitting.reduce((sum, { hello }) => sum + hello.capacity, 0),
      held: fitting.reduce((sum, { held }) => sum + held.size, 0),
      waiting: runs.waitingIn(name).length + rooms.waitingIn(name),
    };
  });
}

/** Sets the gauges of pools before each reading, from `view`; one that is gone is all 0. */
export function measurePools(metrics: WorkMetrics, view: () => readonly PoolView[]): void {
  const seen = new Set<string>();
  metrics.beforeRead.add(() => {
    const views = new Map(view().map((one) => [one.name, one]));
    for (const name of views.keys()) if (seen.size < MAX_POOLS) seen.add(name);
    for (const name of seen) measure(metrics, views.get(name) ?? { ...EMPTY, name });
  });
}

function measure(metrics: WorkMetrics, { name: pool, workers, outdated, capacity, held, waiting }: PoolView): void {
  metrics.runsWaiting.set({ pool }, waiting);
  metrics.workers.set({ pool }, workers);
  metrics.workersOutdated.set({ pool }, outdated);
  metrics.workersBusyRatio.set({ pool }, capacity === 0 ? 0 : held / capacity);
}

const EMPTY: Omit<PoolView, 'name'> = { workers: 0, outdated: 0, capacity: 0, held: 0, waiting: 0 };
/** A gauge has no more series. */
const MAX_POOLS = 5000;
