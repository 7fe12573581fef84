import type { AppliedOperation } from '../effects/apply-operations.ts';
import { fieldsOf, differingFields, type WrittenFields } from '../effects/written-fields.ts';
import type { PatchOperation } from '../effects/operation.ts';
import type { EventTrigger, Trigger } from '../hook/trigger.ts';

/** So many runs in a row that only their own writes caused are what a hook in several steps may need. */
export const FREE_TURNS = 10;
/** Delay of the first event beyond that; it doubles with each further one. */
export const FIRST_DELAY_MS = 100;
export const MAX_DELAY_MS = 30_000;
/** A write that comes so long after the one that caused it is no loop, but a hook that takes its time. */
export const LOOSE_AFTER_MS = 10_000;
const MAX_OBJECTS = 10_000;
/** The event of a write may come after some more writes of the same object. */
const MAX_RECENT = 32;
/** Stands for the version of what is gone. */
const GONE = 'gone';

/** A hook that keeps itself running: it changes an object whose events run it. */
export interface Loop {
  /** `v1/ConfigMap/default/web`. */
  readonly object: string;
  /** Runs in a row that nothing but the hook's own writes caused. */
  readonly turns: number;
  /** What differs between the last two writes, such as `data.time`; empty where that cannot be told. */
  readonly fields: readonly string[];
}

interface Write {
  /** `default/web`. */
  readonly key: string;
  /** `v1/ConfigMap/default/web`. */
  readonly object: string;
  readonly resourceVersion: string;
  readonly turns: number;
  readonly atMs: number;
  /** How long the events of the object are held back. */
  readonly delayMs: number;
  readonly fields: WrittenFields | undefined;
}

/**
 * What one hook wrote, and which of its runs were caused by that alone. Each write carries how many runs led to it with
 * no cause but the hook's own writes: 1 after an event of somebody else, one more after the event of such a write.
 */
export class OwnWrites {
  readonly #now: () => number;
  /** The last writes of each object, by namespace and name: a hook may name a kind in many ways. */
  readonly #writes = new Map<string, readonly Write[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * How long an event is to be held back: 0 unless its object is in a loop. Not by its version alone: the event of a
   * write may be here before the answer to it.
   */
  delayOf({ item }: EventTrigger): number {
    const latest = new Map(this.#writesOf(item).map((write) => [write.object, write]));
    const active = [...latest.values()].filter((write) => this.#turnsAfter(write) > FREE_TURNS);
    return Math.max(0, ...active.map(({ delayMs }) => delayMs));
  }

  /** Takes note of what a run wrote; returns the loop that it goes on with, if it does. */
  note(triggers: readonly Trigger[], operation: PatchOperation, applied: AppliedOperation): Loop | undefined {
    const { target: object } = applied;
    const resourceVersion = versionAfter(applied);
    if (resourceVersion === undefined) return undefined;
    const place = { namespace: operation.namespace ?? '', name: applied.name ?? operation.name ?? '' };
    const latest = this.#writesOf(place).findLast((write) => write.object === object);
    const turns = this.#turnsOf(triggers, place, latest);
    const isLoop = turns > FREE_TURNS;
    // What a hook writes is kept only where it is about to be told.
    const fields = turns >= FREE_TURNS ? fieldsOf(operation) : undefined;
    const write = { key: keyOf(place), object, resourceVersion, turns, atMs: this.#now(), fields };
    this.#remember({ ...write, delayMs: isLoop ? delayAfter(turns) : 0 });
    return isLoop ? { object, turns, fields: differingFields(latest?.fields, fields) } : undefined;
  }

  /**
   * The turns of a write: one more than those of the object's last write, where one of its writes is among the causes of
   * the run; else one more than those of the writes that alone caused it, and no less than before.
   */
  #turnsOf(triggers: readonly Trigger[], place: Place, latest: Write | undefined): number {
    const causes = triggers.map((trigger) => (trigger.type === 'event' ? this.#causeOf(trigger) : undefined));
    const own = causes.filter((cause) => cause !== undefined);
    const before = latest === undefined ? 0 : this.#turnsAfter(latest);
    if (own.some((cause) => cause.object === latest?.object && cause.key === keyOf(place))) return before + 1;
    if (own.length < causes.length) return 1;
    return Math.max(before, ...own.map((cause) => this.#turnsAfter(cause) + 1), 1);
  }

  #turnsAfter({ turns, atMs, delayMs }: Write): number {
    return this.#now() - atMs - delayMs > LOOSE_AFTER_MS ? 0 : turns;
  }

  /** The write of this hook that the event tells of. */
  #causeOf({ item, watchEvent, resourceVersion }: EventTrigger): Write | undefined {
    const seen = watchEvent === 'Deleted' ? GONE : resourceVersion;
    return this.#writesOf(item).findLast((write) => write.resourceVersion === seen);
  }

  #writesOf(place: Place): readonly Write[] {
    return this.#writes.get(keyOf(place)) ?? [];
  }

  #remember(write: Write): void {
    const { key } = write;
    const recent = [...(this.#writes.get(key) ?? []), write].slice(-MAX_RECENT);
    this.#writes.delete(key);
    this.#writes.set(key, recent);
    const [oldest] = this.#writes.size > MAX_OBJECTS ? this.#writes.keys() : [];
    if (oldest !== undefined) this.#writes.delete(oldest);
  }
}

/** The version that the events of a write have; undefined where it makes none. */
function versionAfter({ change, resourceVersion }: AppliedOperation): string | undefined {
  if (change === 'deleted') return GONE;
  return change === 'unchanged' ? undefined : resourceVersion;
}

function delayAfter(turns: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.min(turns - FREE_TURNS - 1, 20), MAX_DELAY_MS);
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

function keyOf({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}
