/* Writes the timeline of a world: gives each moment its time and its step, and counts what disturbances name. */

import type { Moment } from '../timeline.ts';

type Distribute<T> = T extends unknown ? Omit<T, 'atMs' | 'step'> : never;
/** A moment without its time. */
export type Happening = Distribute<Moment>;

const MAX_MOMENTS = 200_000;

export interface RecorderOptions {
  readonly now: () => number;
  readonly tell: (moment: Moment) => void;
  /** Called before each moment: what must come before it. */
  readonly before: () => void;
}

/** The timeline as it is written. */
export class Recorder {
  readonly #options: RecorderOptions;
  #isInside = false;
  /** The action under way. */
  step = 0;
  /** How many moments there are. */
  length = 0;
  runs = 0;
  /** How often each hook ran. */
  readonly runsOf = new Map<string, number>();
  /** Writes of all but the scenario. */
  writes = 0;
  /** Changes of objects, by anybody, without Leases and Events. */
  #changes = 0;
  effects = 0;
  calls = 0;
  events = 0;
  requests = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** The virtual time. */
  get now(): number {
    return this.#options.now();
  }

  /** Another one after each change, call and request that is counted. */
  stamp(): number {
    this.#options.before();
    return this.#changes + this.calls + this.requests;
  }

  get isFull(): boolean {
    return this.length >= MAX_MOMENTS;
  }

  add(happening: Happening): void {
    // What comes before is added while this is under way.
    if (!this.#isInside) {
      this.#isInside = true;
      this.#options.before();
      this.#isInside = false;
    }
    if (this.isFull) return;
    this.length += 1;
    this.#count(happening);
    this.#options.tell({ atMs: this.#options.now(), step: this.step, ...happening });
  }

  #count(happening: Happening): void {
    if (happening.type === 'write') {
      if (happening.by !== 'scenario') this.writes += 1;
      if (happening.isChange && !['Lease', 'Event'].includes(happening.object.kind)) this.#changes += 1;
    }
    if (happening.type !== 'run-started') return;
    this.runs += 1;
    this.runsOf.set(happening.hook, (this.runsOf.get(happening.hook) ?? 0) + 1);
  }
}
