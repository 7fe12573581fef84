import type { EventTrigger } from '../hook/trigger.ts';

/** Events of an object that are held while its status is written; when more come, all go ahead. */
export const MAX_HELD = 100;
const MAX_OBJECTS = 10_000;
/** Writes remembered per object: the event of a write may come after further writes. */
const MAX_RECENT = 32;

/** An object by namespace, empty for a cluster-scoped one, and name. */
export interface StatusPlace {
  readonly namespace: string;
  readonly name: string;
}

/** A write of a status that changed the object: its resourceVersion, and the one of the state right before. */
export interface StatusVersions {
  readonly before: string;
  /** That of the first of two requests, where one was not enough. */
  readonly between?: string;
  readonly after: string;
}

/** Ends a write of a status; `versions` is absent when it changed nothing, or whether it did is unknown. */
export type EndStatusWrite = (versions?: StatusVersions) => void;

export interface OwnStatusWritesOptions {
  readonly deliver: (trigger: EventTrigger) => void;
  /** The event stems from a write of the hook's own status, and does not run the hook. */
  readonly onDropped: (trigger: EventTrigger) => void;
}

interface ObjectWrites {
  /** Writes that have begun and not ended. */
  writing: number;
  held: EventTrigger[];
  /** More events came during the writes than are held. */
  isFlooded: boolean;
  /** By the resourceVersion after a write, the one before it. */
  readonly recent: Map<string, string>;
}

/**
 * Keeps the statuses that are written for a hook from running that hook again. `EventPath` passes every event through
 * `receive`, and calls `begin` before a status is written for a run of the hook.
 *
 * The event of a write may come before the answer to the write, so the events of an object are held, in order, while
 * its status is written. Then an event is dropped if the binding saw the version right before the write last: what it
 * saw differs from the event in that status alone. Any other event is delivered. So is one of a relist, whose
 * `previousVersion` is unknown: it may bring a change of somebody else as well.
 *
 * What must hold: each `begin` is followed by one call of what it returned, within the limit of the write. Objects are
 * identified by namespace and name, not by kind, which bindings may spell differently: an event of another kind is held
 * as long, and delivered. Memory is bounded: `MAX_HELD` events of an object, `MAX_RECENT` writes of `MAX_OBJECTS`
 * objects.
 */
export class OwnStatusWrites {
  readonly #options: OwnStatusWritesOptions;
  readonly #objects = new Map<string, ObjectWrites>();

  constructor(options: OwnStatusWritesOptions) {
    this.#options = options;
  }

  begin(place: StatusPlace): EndStatusWrite {
    const writes = this.#use(place);
    writes.writing += 1;
    let isEnded = false;
    return (versions) => {
      if (isEnded) return;
      isEnded = true;
      if (versions !== undefined) for (const step of stepsOf(versions)) remember(writes, step);
      writes.writing -= 1;
      if (writes.writing === 0) this.#release(writes);
    };
  }

  receive(trigger: EventTrigger): void {
    const writes = this.#objects.get(keyOf(trigger.item));
    if (writes === undefined || writes.writing === 0 || writes.isFlooded) {
      this.#pass(trigger, writes);
      return;
    }
    writes.held.push(trigger);
    if (writes.held.length <= MAX_HELD) return;
    writes.isFlooded = true;
    this.#passHeld(writes);
  }

  /** How many events are held. */
  get held(): number {
    return this.#objects.values().reduce((sum, { held }) => sum + held.length, 0);
  }

  #release(writes: ObjectWrites): void {
    writes.isFlooded = false;
    this.#passHeld(writes);
  }

  #passHeld(writes: ObjectWrites): void {
    const { held } = writes;
    writes.held = [];
    for (const trigger of held) this.#pass(trigger, writes);
  }

  #pass(trigger: EventTrigger, writes: ObjectWrites | undefined): void {
    if (writes !== undefined && isOwn(trigger, writes)) this.#options.onDropped(trigger);
    else this.#options.deliver(trigger);
  }

  /** The writes of an object, which is now the one used last. */
  #use(place: StatusPlace): ObjectWrites {
    const key = keyOf(place);
    const writes = this.#objects.get(key) ?? { writing: 0, held: [], isFlooded: false, recent: new Map() };
    this.#objects.delete(key);
    this.#objects.set(key, writes);
    if (this.#objects.size > MAX_OBJECTS) this.#forgetOldest();
    return writes;
  }

  #forgetOldest(): void {
    for (const [key, { writing }] of this.#objects) {
      if (writing > 0) continue;
      this.#objects.delete(key);
      return;
    }
  }
}

/** Whether own writes alone lead from the version that the binding saw before to the one of the event. */
function isOwn({ resourceVersion, previousVersion }: EventTrigger, { recent }: ObjectWrites): boolean {
  if (resourceVersion === undefined || previousVersion === undefined) return false;
  let version: string | undefined = resourceVersion;
  for (let steps = 0; steps < MAX_RECENT; steps += 1) {
    version = recent.get(version);
    if (version === undefined) return false;
    if (version === previousVersion) return true;
  }
  return false;
}

function stepsOf({ before, between = before, after }: StatusVersions): readonly StatusVersions[] {
  return [
    { before, after: between },
    { before: between, after },
  ];
}

function remember({ recent }: ObjectWrites, { before, after }: StatusVersions): void {
  if (before === '' || after === '' || before === after) return;
  recent.set(after, before);
  const [oldest] = recent.size > MAX_RECENT ? recent.keys() : [];
  if (oldest !== undefined) recent.delete(oldest);
}

function keyOf({ namespace, name }: StatusPlace): string {
  return `${namespace}/${name}`;
}
