import type { KubeClient } from '../../kube/client.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { JobPlace } from './job-object.ts';
import type { Seal } from './job-seal.ts';
import type { Adopt } from './job-orphans.ts';
import type { JobEvents } from './start-job.ts';
import type { Brakes } from './start-slots.ts';

/** What the executor of Jobs is given by the composition; `installation` is the same for all replicas. */
export interface JobExecutorOptions extends Brakes, JobPlace {
  readonly client: Pick<KubeClient, 'request' | 'chunks'>;
  readonly watches: Watches;
  /** The namespace of hooklet, where Jobs are unless their rule says otherwise. */
  readonly namespace: string;
  /** Further namespaces in which an earlier leader may have left Jobs. Default none. */
  readonly namespaces?: () => readonly string[];
  /** PEM of what signs the certificates of replicas; undefined: not known yet, and no Job is created. */
  readonly authority: () => string | undefined;
  /** The exit codes 75 and 78 are failures as any other; default false. */
  readonly plainExitCodes?: boolean;
  /** How long background jobs that hold the output of a hook are waited for; absent: the default of the runner. */
  readonly backgroundLimitMs?: number | undefined;
  /** Whether runs that are stopped are to be left to the next leader. */
  readonly isLeaving: () => boolean;
  readonly adopt: Adopt;
  /** For grants in namespaces that are not hooklet's own; absent: none is sealed, and each is believed. */
  readonly seal?: Seal;
  readonly events: JobEvents;
  readonly log: Logger;
  readonly metrics: Pick<
    Metrics,
    'jobsRunning' | 'jobsWaiting' | 'jobStartSeconds' | 'jobsAdopted' | 'jobsFailedToStart'
  >;
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds on a monotonic clock; default `performance.now`. */
  readonly elapsed?: () => number;
}
