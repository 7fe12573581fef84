import type { Task } from '../hook/task.ts';
import { sleepOutside } from '../lib/sleep.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { TaskQueue } from '../queue/task-queue.ts';
import { countCrowds } from './queues/crowds.ts';
import { LongRuns } from './queues/long-runs.ts';

const TICK_MS = 10_000;

interface TickParts {
  readonly metrics: Metrics;
  readonly queues: () => readonly TaskQueue<Task>[];
  readonly log: Logger;
}

/** Counts that the operator is alive, looks for runs that take long, and counts crowds in queues, every 10 s until `signal` aborts. */
export async function tick({ metrics, queues, log }: TickParts, signal: AbortSignal): Promise<void> {
  const longRuns = new LongRuns(log);
  while (!signal.aborted) {
    metrics.liveTicks.inc({});
    longRuns.check(queues(), Date.now());
    countCrowds(queues(), metrics);
    await sleepOutside(TICK_MS, signal);
  }
}
