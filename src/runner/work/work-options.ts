import type { Hook } from '../../hook/binding.ts';
import type { DeskCaller } from '../../hook/remote-run.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';

/** What the executor of workers is given by the composition. */
export interface WorkExecutorOptions {
  /** Of the hooks of this operator, as workers say theirs; see `HooksDigest`. */
  readonly digest: () => Promise<string>;
  /** SHA-256 of the file of a hook, in hex. */
  readonly hashOf: (hook: Hook) => Promise<string>;
  /** See `WorkerTerms`. Default 15 s. */
  readonly silenceMs?: number;
  /** Whether the leader before ended all its runs; asked once, when this replica begins to lead. */
  readonly isClean: () => boolean;
  /** Why a Pod may not be a worker; undefined when it may. Default: each may. */
  readonly explainRefusal?: (caller: DeskCaller) => string | undefined;
  /** The exit codes 75 and 78 are failures as any other; default false. */
  readonly plainExitCodes?: boolean;
  /** How long background jobs that hold the output of a hook are waited for; absent: the default of the runner. */
  readonly backgroundLimitMs?: number | undefined;
  /** Called once when runs have waited for 60 s, and not one worker could take any; again only after one came. */
  readonly onNoWorkers: (outage: WorkerOutage) => void;
  readonly log: Logger;
  readonly metrics: WorkMetrics;
  /** Milliseconds on a monotonic clock; default `performance.now`. */
  readonly elapsed?: () => number;
  /** Names of workers, which nobody can guess; default random. */
  readonly randomName?: () => string;
}

export type WorkMetrics = Pick<
  Metrics,
  'runsWaiting' | 'workers' | 'workersOutdated' | 'workersBusyRatio' | 'runHandoverSeconds' | 'runsLost' | 'beforeRead'
>;

/** A pool without a worker for its runs. */
export interface WorkerOutage {
  readonly pool: string;
  /** How many runs wait. */
  readonly waiting: number;
  /** How many workers are there that have other hooks than the operator. */
  readonly outdated: number;
}

/** A pool, for people. */
export interface PoolView {
  readonly name: string;
  /** Workers with the hooks of the operator. */
  readonly workers: number;
  /** Workers with other hooks, which get no runs. */
  readonly outdated: number;
  /** How many runs the workers with the hooks of the operator execute at the same time. */
  readonly capacity: number;
  /** How many runs these have. */
  readonly held: number;
  /** How many runs no worker has, with those that wait to be prepared. */
  readonly waiting: number;
}
