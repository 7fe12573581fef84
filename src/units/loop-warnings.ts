import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { Loop } from './own-writes.ts';

/** A loop of one hook and object is told so often at most, and of one hook three objects. */
const INTERVAL_MS = 600_000;
const MAX_TOLD = 3;

export interface LoopWarningsOptions {
  readonly metrics: Pick<Metrics, 'hookLoopRuns'>;
  readonly log: Logger;
  readonly now: () => number;
}

/** Counts the runs of hooks that keep themselves running, and tells each loop at its start and every ten minutes. */
export class LoopWarnings {
  readonly #options: LoopWarningsOptions;
  readonly #toldAtMs = new Map<string, ReadonlyMap<string, number>>();

  constructor(options: LoopWarningsOptions) {
    this.#options = options;
  }

  record(hook: string, { object, turns, fields }: Loop): void {
    const { metrics, log, now } = this.#options;
    metrics.hookLoopRuns.inc({ hook });
    const told = new Map([...(this.#toldAtMs.get(hook) ?? [])].filter(([, atMs]) => now() - atMs < INTERVAL_MS));
    if (told.has(object) || told.size >= MAX_TOLD) return;
    this.#toldAtMs.set(hook, told.set(object, now()));
    log.warn(
      { hook, object, ...(fields.length > 0 && { fields }), runs: turns },
      'hook runs again for its own change of an object it watches; its events are slowed down: write only what differs, or watch less of it with jqFilter',
    );
  }
}
