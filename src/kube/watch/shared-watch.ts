/*
 * One reflector and one store for all subscribers of the same target. `shared-watches.ts` creates it, and routes
 * subscriptions and connection callbacks here. A subscriber is `waiting` (it has joined and takes part in the next
 * list), `listing` (its first list is running) or `synced` (it has had a complete list and receives changes). Every
 * subscriber must see the same sequence: its complete first list, then each change once, in the order of the server. So
 * all calls for one event are made synchronously before the next event is read, and a new subscriber triggers a relist
 * that the synced ones see only as differences.
 *
 * A subscriber may want one slice of the objects, and then gets only those; the store keeps those of all its
 * subscribers. When the API server does not divide objects into slices, the watch of a slice hands its subscribers over
 * to the one of the whole target: to a synced one the first list there shows what differs from what it has seen.
 */

import type { SliceHash } from '../../lib/slice-hash.ts';
import { nextTurn } from '../../lib/turn.ts';
import type { Logger } from '../../log.ts';
import type { Carrier } from '../http/http.ts';
import type { ListWatch } from './list-watch.ts';
import type { KubeObject } from '../object.ts';
import { reflect, RelistRequests, type ReflectorEvent } from './reflector.ts';
import { isOfSlice, type Slice } from './slice.ts';
import { SliceInterest } from './slice-interest.ts';
import { Store, type ObjectRecord, type StoreChange } from './store.ts';
import type { Restart } from './watch-recovery.ts';

/**
 * A follower of a shared watch. All calls are synchronous, and one event reaches all subscribers before anything else
 * happens, so that all of them are at the same resourceVersion.
 */
export interface WatchSubscriber {
  /** Whether this subscriber needs `record.json`. */
  readonly keepsObjects: boolean;
  /** A list begins. Objects passed to `listed` since the last `listDone` are void. */
  listStarted(): void;
  /**
   * An object of the list. The subscriber's first list passes every object, later lists only those that are new or have
   * another version.
   */
  listed(record: ObjectRecord, object: KubeObject): void;
  /**
   * The list is complete. `gone` holds the records that it lacks, including those whose name now belongs to an object
   * with another uid; empty after the first list.
   */
  listDone(gone: readonly ObjectRecord[]): void;
  /** An object changed. Never called before the first `listDone`. */
  changed(change: StoreChange): void;
  /** The watch fails and is being retried. */
  failed(error: unknown): void;
  /** The server accepted the watch or answered the list again after `failed`. */
  recovered(): void;
}

/**
 * `waiting`: has joined, takes part in the next list; `listing`: in its first list; `synced`: has had a
 * complete list.
 */
type Membership = 'waiting' | 'listing' | 'synced';

/** A subscriber of a watch; it stays the same when another watch takes it over. */
export interface Member {
  readonly subscriber: WatchSubscriber;
  membership: Membership;
  /** The objects that it wants; undefined for all. */
  readonly slice: Slice | undefined;
  /** Only until its first list here is complete: what it has seen in the watch from which it was taken over. */
  seen: Store | undefined;
}

export interface SharedWatchOptions {
  readonly log: Logger;
  /** Called for each restart, for the metrics. */
  readonly onRestart: (restart: Restart) => void;
  readonly now: () => number;
  readonly random: () => number;
  /** Default `mixed`. */
  readonly sliceHash?: SliceHash | undefined;
}

/** The shared watch of one target. */
export class SharedWatch {
  /** Which objects its subscribers want; it changes with them. */
  readonly interest: SliceInterest;
  readonly #options: SharedWatchOptions;
  readonly #relists = new RelistRequests();
  readonly #store = new Store();
  readonly #members = new Set<Member>();
  #hasStarted = false;
  #failure: { readonly error: unknown } | undefined;
  #lastReason: string | undefined;
  #lastContactAtMs: number | undefined;
  #carrier: Carrier | undefined;
  #isPruning = false;

  constructor(options: SharedWatchOptions) {
    this.interest = new SliceInterest(options.sliceHash ?? 'mixed');
    this.#options = options;
  }

  get subscribers(): number {
    return this.#members.size;
  }

  /**
   * When data last arrived from the server on the connection of the watch, in milliseconds since the epoch; answers to
   * pings and probes count.
   */
  get lastContactAtMs(): number | undefined {
    const data = this.#lastContactAtMs;
    if (data === undefined || this.#carrier === undefined) return data;
    return Math.max(data, this.#options.now() - this.#carrier.silentForMs());
  }

  /** Adds a subscriber of all objects, or of a slice. */
  add(subscriber: WatchSubscriber, slice?: Slice): Member {
    const member: Member = { subscriber, membership: 'waiting', slice, seen: undefined };
    this.#join(member);
    if (this.#failure !== undefined) subscriber.failed(this.#failure.error);
    return member;
  }

  remove(member: Member): void {
    if (!this.#members.delete(member)) return;
    this.interest.remove(member.slice);
    this.#updateKeepsObjects();
    // Many may leave in one turn.
    if (!this.interest.isWhole && !this.#isPruning) this.#pruneLater();
  }

  /** Takes over all subscribers of the watch of a slice, which has ended. */
  takeOver(from: SharedWatch): void {
    this.#lastContactAtMs ??= from.lastContactAtMs;
    const taken = [...from.#members];
    from.#members.clear();
    for (const member of taken) {
      if (member.membership === 'synced') member.seen = from.#store.fork();
      member.membership = 'waiting';
      this.#join(member);
    }
    for (const member of taken) {
      if (!this.#members.has(member)) continue;
      if (this.#failure !== undefined) member.subscriber.failed(this.#failure.error);
      else if (from.#failure !== undefined) member.subscriber.recovered();
    }
  }

  relist(): void {
    this.#relists.request();
  }

  contacted(): void {
    this.#lastContactAtMs = this.#options.now();
  }

  /** The request of the watch is on this connection. */
  carriedBy(carrier: Carrier): void {
    const known = this.lastContactAtMs;
    if (known !== undefined) this.#lastContactAtMs = known;
    this.#carrier = carrier;
  }

  opened(): void {
    this.#lastReason = undefined;
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    for (const { subscriber } of this.#members) subscriber.recovered();
  }

  /** Follows `source` until the signal aborts. */
  async run(source: ListWatch, signal: AbortSignal): Promise<void> {
    // Let everything that subscribes in this turn of the event loop share the first list.
    await nextTurn();
    const { now, random } = this.#options;
    const onRestart = (restart: Restart): void => {
      this.#restarted(restart);
    };
    const relists = this.#relists;
    for await (const event of reflect(source, { signal, relists, onRestart, now, random })) {
      if (signal.aborted) return;
      this.#handle(event);
    }
  }

  #handle(event: ReflectorEvent): void {
    switch (event.type) {
      case 'Init':
        return this.#listStarted();
      case 'InitApply':
        return this.#listed(event.object);
      case 'InitDone':
        return this.#listDone();
      case 'Apply':
        return this.#changed(this.#store.apply(event.object));
      case 'Delete':
        return this.#changed(this.#store.delete(event.object));
    }
  }

  #listStarted(): void {
    this.#hasStarted = true;
    this.#store.beginList();
    for (const member of this.#members) {
      if (member.membership === 'waiting') member.membership = 'listing';
      member.seen?.beginList();
      member.subscriber.listStarted();
    }
  }

  #listed(object: KubeObject): void {
    const { record, isKnown } = this.#store.listObject(object);
    const indexes = this.interest.indexesOf(record);
    for (const member of this.#members) {
      if (isOfSlice(member.slice, indexes) && isNews(member, object, isKnown)) member.subscriber.listed(record, object);
    }
  }

  #listDone(): void {
    const gone = this.#store.endList();
    for (const member of this.#members) {
      if (member.membership === 'waiting') continue;
      const missing =
        member.membership === 'synced' ? this.#ofSlice(gone, member.slice) : (member.seen?.endList() ?? []);
      member.membership = 'synced';
      member.seen = undefined;
      member.subscriber.listDone(missing);
    }
  }

  #changed(changes: readonly StoreChange[]): void {
    for (const change of changes) {
      const indexes = this.interest.indexesOf(change.record);
      for (const { subscriber, membership, slice } of this.#members) {
        if (membership === 'synced' && isOfSlice(slice, indexes)) subscriber.changed(change);
      }
    }
  }

  #ofSlice(records: readonly ObjectRecord[], slice: Slice | undefined): readonly ObjectRecord[] {
    if (slice === undefined) return records;
    return records.filter((record) => isOfSlice(slice, this.interest.indexesOf(record)));
  }

  #restarted(restart: Restart): void {
    const { log, onRestart } = this.#options;
    const { reason, error, delayMs } = restart;
    onRestart(restart);
    const fields = { reason, delayMs: Math.round(delayMs), ...(error === undefined ? {} : { err: error }) };
    if (reason === 'unexpected') log.error(fields, 'watch interrupted');
    else if (reason === 'end' || reason === 'requested' || reason === this.#lastReason)
      log.debug(fields, 'watch interrupted');
    else log.warn(fields, 'watch interrupted');
    this.#lastReason = reason;
    // An expired resourceVersion is normal: the relist follows without delay.
    if (error === undefined || delayMs === 0) return;
    this.#failure = { error };
    for (const { subscriber } of this.#members) subscriber.failed(error);
  }

  #join(member: Member): void {
    this.#members.add(member);
    this.interest.add(member.slice);
    this.#updateKeepsObjects();
    // The new subscriber has missed a part of the running list, or all of it while the watch runs.
    if (this.#hasStarted) this.#relists.request();
  }

  /** Drops the objects that no subscriber wants any more, at the end of this turn of the event loop. */
  #pruneLater(): void {
    this.#isPruning = true;
    setImmediate(() => {
      this.#isPruning = false;
      if (!this.interest.isWhole) this.#store.retain((record) => this.interest.wants(record));
    });
  }

  #updateKeepsObjects(): void {
    this.#store.keepsObjects = this.#members.values().some(({ subscriber }) => subscriber.keepsObjects);
  }
}

/** Whether an object of a list must be passed to a member; `isKnown` when the store has it in exactly this version. */
function isNews({ membership, seen }: Member, object: KubeObject, isKnown: boolean): boolean {
  if (membership === 'listing') return seen === undefined || !seen.listObject(object).isKnown;
  return membership === 'synced' && !isKnown;
}
