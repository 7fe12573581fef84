import type { JsonObject } from '@hooklet/sandbox';
import type { Moment } from '../timeline.ts';
import type { Acted } from '../world.ts';

/** What happened in a step, and what is there when it is over. */
export interface Evidence {
  /** The moments of the step, in order. */
  readonly moments: readonly Moment[];
  /** All moments until the step is over: runs that began earlier are named there. */
  readonly timeline: readonly Moment[];
  readonly objects: readonly JsonObject[];
  /** The text of /metrics and /metrics/hooks; empty when nothing is expected of it. */
  readonly metrics: string;
  /** The last answer of the step. */
  readonly answer?: Acted['answer'];
}
