import type { AppliedOperation } from '../effects/apply-operations.ts';
import { fieldsOf, differingFields, type WrittenFields } from '../effects/written-fields.ts';
import type { PatchOperation } from '../effects/operation.ts';
import type { EventTrigger, Trigger } from '../hook/trigger.ts';

/** Turns without delay: a hook that works in several steps may need as many. */
export const FREE_TURNS = 10;
/** Delay after the first turn beyond `FREE_TURNS`; it doubles with each further turn. */
export const FIRST_DELAY_MS = 100;
/** The longest delay of an event. */
export const MAX_DELAY_MS = 30_000;
/** Beyond its delay, a write counts as the cause of later writes for this long. A slower cycle is not a loop. */
export const LOOP_EXPIRY_MS = 10_000;
const MAX_OBJECTS = 10_000;
/** Writes remembered per object: the event of a write may come after further writes of the object. */
const MAX_RECENT = 32;
/** Stands for the resourceVersion of a deleted object. */
const GONE = 'gone';

/** A hook that triggers itself: it changes an object whose events run it. */
export interface Loop {
  /** `v1/ConfigMap/default/web`. */
  readonly object: string;
  /** How many runs led to this write with no cause but the hook's own writes. */
  readonly turns: number;
  /** The fields that differ between the last two writes, such as `data.time`; empty where they cannot be compared. */
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
  /** How long the events of the object are held. */
  readonly delayMs: number;
  readonly fields: WrittenFields | undefined;
}

/**
 * Detects a hook that triggers itself: its run writes an object, the event of that write runs it again, and so on.
 *
 * Each write has a number of turns: how many runs led to it with no cause but the hook's own writes. A write of a run
 * that something else triggered has 1; a write of a run that own writes triggered has one more than those. An event is
 * matched to the write that caused it by namespace, name and resourceVersion. Beyond `FREE_TURNS` the hook is in a
 * loop, and the events of the object are delayed, from `FIRST_DELAY_MS` up to `MAX_DELAY_MS`; none is dropped. A loop
 * ends with a write that has another cause, or when the last write is older than its delay plus `LOOP_EXPIRY_MS`.
 *
 * The journal calls `note` for each applied operation; `EventPath` calls `delayOf` for each event. Memory is bounded:
 * `MAX_RECENT` writes of each of `MAX_OBJECTS` objects.
 */
export class OwnWrites {
  readonly #now: () => number;
  /** The last writes, by namespace and name. Not by kind: operations and bindings may spell a kind differently. */
  readonly #writes = new Map<string, readonly Write[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * How long to hold an event, in milliseconds: 0 unless its object is in a loop. The event's resourceVersion is not
   * looked at: the event of a write may arrive before the response to the write.
   */
  delayOf({ item }: EventTrigger): number {
    const latest = new Map(this.#writesOf(item).map((write) => [write.object, write]));
    const active = [...latest.values()].filter((write) => this.#turnsAfter(write) > FREE_TURNS);
    return Math.max(0, ...active.map(({ delayMs }) => delayMs));
  }

  /**
   * Records an applied operation of the run that `triggers` caused; returns the loop that the write continues, if any.
   */
  note(triggers: readonly Trigger[], operation: PatchOperation, applied: AppliedOperation): Loop | undefined {
    const { target: object } = applied;
    const resourceVersion = versionAfter(applied);
    if (resourceVersion === undefined) return undefined;
    const place = { namespace: operation.namespace ?? '', name: applied.name ?? operation.name ?? '' };
    const latest = this.#writesOf(place).findLast((write) => write.object === object);
    const turns = this.#turnsOf(triggers, place, latest);
    const isLoop = turns > FREE_TURNS;
    // What a hook writes is remembered only where the next write may have to be compared with it.
    const fields = turns >= FREE_TURNS ? fieldsOf(operation) : undefined;
    const write = { key: keyOf(place), object, resourceVersion, turns, atMs: this.#now(), fields };
    this.#remember({ ...write, delayMs: isLoop ? delayAfter(turns) : 0 });
    return isLoop ? { object, turns, fields: differingFields(latest?.fields, fields) } : undefined;
  }

  /**
   * The turns of a write, by what triggered its run:
   * - a write of the same object among the triggers: one more than the object's last write;
   * - any trigger that is not an own write: 1;
   * - only own writes of other objects: one more than the highest of them, and no less than the object's last write.
   */
  #turnsOf(triggers: readonly Trigger[], place: Place, latest: Write | undefined): number {
    const causes = triggers.map((trigger) => (trigger.type === 'event' ? this.#causeOf(trigger) : undefined));
    const own = causes.filter((cause) => cause !== undefined);
    const before = latest === undefined ? 0 : this.#turnsAfter(latest);
    if (own.some((cause) => cause.object === latest?.object && cause.key === keyOf(place))) return before + 1;
    if (own.length < causes.length) return 1;
    return Math.max(before, ...own.map((cause) => this.#turnsAfter(cause) + 1), 1);
  }

  /** The turns of a write; 0 once it has expired. */
  #turnsAfter({ turns, atMs, delayMs }: Write): number {
    return this.#now() - atMs - delayMs > LOOP_EXPIRY_MS ? 0 : turns;
  }

  /** The write of this hook that caused the event, if any. */
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

/** The resourceVersion in the event of a write; undefined where the write causes no event. */
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
