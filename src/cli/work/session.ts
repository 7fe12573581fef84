import type { WorkerTerms } from '../../hook/work-desk.ts';
import type { Logger } from '../../log.ts';
import type { OutputLog } from '../../runner/output-log.ts';
import type { Reach } from '../agent/reach.ts';
import type { Beats } from './beats.ts';
import type { Condition } from './condition.ts';
import type { Contact } from './contact.ts';
import type { HeldRuns } from './held-runs.ts';
import type { Runners } from './runners.ts';
import type { WorkerTimes } from './times.ts';
import type { WorkerMetrics } from './worker-metrics.ts';

/** What a worker has from its start to its end. */
export interface Worker {
  readonly reach: Reach;
  readonly times: WorkerTimes;
  readonly log: Logger;
  readonly outputLog: OutputLog;
  readonly metrics: WorkerMetrics;
  readonly runners: Runners;
  readonly held: HeldRuns;
  readonly condition: Condition;
  readonly hooksDir: string;
  /** The digest of the hooks as they are now. */
  readonly digest: () => Promise<string>;
  /** A monotonic clock. */
  readonly elapsed: () => number;
}

/** A worker that an operator knows by a name. */
export interface WorkSession extends Worker {
  readonly terms: WorkerTerms;
  /** That of the hooks when the worker said hello. */
  readonly saidDigest: string;
  readonly contact: Contact;
  /** Aborts when the operator does not know the worker any more, with why as the message of its reason. */
  readonly lost: AbortSignal;
  readonly lose: (why: string) => void;
  readonly beats: Beats;
}
