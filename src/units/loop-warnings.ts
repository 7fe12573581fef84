import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Loop } from './own-writes.ts';

/** In this time a loop is logged once for each object, and for 3 objects of a hook at most. */
const INTERVAL_MS = 600_000;
const MAX_LOGGED = 3;

export interface LoopWarningsOptions {
  readonly metrics: Pick<Metrics, 'hookLoopRuns'>;
  readonly log: Logger;
  readonly now: () => number;
}

/** Counts the runs that continue a loop, and logs each loop when it starts and every 10 minutes while it lasts. */
export class LoopWarnings {
  readonly #options: LoopWarningsOptions;
  /** By hook, when the loop of each object was logged last. */
  readonly #loggedAtMs = new Map<string, ReadonlyMap<string, number>>();

  constructor(options: LoopWarningsOptions) {
    this.#options = options;
  }

  record(hook: string, { object, turns, fields }: Loop): void {
    const { metrics, log, now } = this.#options;
    metrics.hookLoopRuns.inc({ hook });
    const logged = new Map([...(this.#loggedAtMs.get(hook) ?? [])].filter(([, atMs]) => now() - atMs < INTERVAL_MS));
    if (logged.has(object) || logged.size >= MAX_LOGGED) return;
    this.#loggedAtMs.set(hook, logged.set(object, now()));
    log.warn(
      { hook, object, ...(fields.length > 0 && { fields }), runs: turns },
      'hook changes an object that it watches, and so triggers itself in a loop; its events are delayed: write only what differs, or watch fewer fields with jqFilter',
    );
  }
}
