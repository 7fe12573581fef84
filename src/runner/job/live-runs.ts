import { remember } from '../../lib/remember.ts';
import type { LiveRun } from './live-run.ts';

/** So many runs are remembered after they were concluded, for Pods that ask late. */
const MAX_PAST = 2000;

/** The runs of this operator by the names of their Jobs. */
export class LiveRuns {
  readonly #live = new Map<string, LiveRun>();
  readonly #past = new Map<string, true>();
  readonly #byRunId = new Map<string, LiveRun>();

  add(run: LiveRun): void {
    this.#live.set(keyOf(run.namespace, run.job), run);
    this.#byRunId.set(run.facts.runId, run);
  }

  /** The run is now also known by the id of another attempt, which takes it over. */
  alias(runId: string, run: LiveRun): void {
    this.#byRunId.set(runId, run);
  }

  find(namespace: string, job: string): LiveRun | undefined {
    return this.#live.get(keyOf(namespace, job));
  }

  findByRunId(runId: string): LiveRun | undefined {
    return this.#byRunId.get(runId);
  }

  /** Whether the run was concluded not long ago. */
  isPast(namespace: string, job: string): boolean {
    return this.#past.has(keyOf(namespace, job));
  }

  /** The run is over for this operator. */
  drop(run: LiveRun): void {
    const key = keyOf(run.namespace, run.job);
    if (this.#live.get(key) === run) this.#live.delete(key);
    remember(this.#past, key, { value: true, limit: MAX_PAST });
    for (const [runId, one] of this.#byRunId) if (one === run) this.#byRunId.delete(runId);
  }
}

function keyOf(namespace: string, job: string): string {
  return `${namespace}/${job}`;
}
