import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Loop } from './own-writes.ts';

/** A loop of one hook and object is told so often at most. */
const INTERVAL_MS = 600_000;
const MAX_OBJECTS = 1000;

export interface LoopWarningsOptions {
  readonly metrics: Pick<Metrics, 'hookLoopRuns'>;
  readonly log: Logger;
  readonly now: () => number;
}

/** Counts the runs of hooks that keep themselves running, and tells each loop at its begin and every ten minutes. */
export class LoopWarnings {
  readonly #options: LoopWarningsOptions;
  readonly #toldAtMs = new Map<string, number>();

  constructor(options: LoopWarningsOptions) {
    this.#options = options;
  }

  record(hook: string, { object, turns, fields }: Loop): void {
    const { metrics, log, now } = this.#options;
    metrics.hookLoopRuns.inc({ hook });
    const key = `${hook} ${object}`;
    if (now() - (this.#toldAtMs.get(key) ?? -Infinity) < INTERVAL_MS) return;
    this.#toldAtMs.delete(key);
    this.#toldAtMs.set(key, now());
    const [oldest] = this.#toldAtMs.size > MAX_OBJECTS ? this.#toldAtMs.keys() : [];
    if (oldest !== undefined) this.#toldAtMs.delete(oldest);
    log.warn(
      { hook, object, ...(fields.length > 0 && { fields }), runs: turns },
      'hook runs again for its own change of an object it watches; its events are slowed down: write only what differs, or watch less of it with jqFilter',
    );
  }
}
