import { versionOf, type Api, type ApiAnswer, type Version } from './api.ts';
import { KINDS, NAMESPACES, pathOf, type SoakKind } from './kinds.ts';
import type { Random } from './random.ts';

/** A change that certainly happened. */
export interface Write {
  readonly hook: string;
  readonly key: string;
  /** When the request was sent, which is before its effect. */
  readonly sentAtMs: number;
}

/** A name under which an object is created and deleted repeatedly. */
interface Slot {
  readonly kind: SoakKind;
  readonly namespace: string;
  readonly name: string;
  object: SlotObject;
  isBusy: boolean;
}

/** The known state of the object in a slot; `unknown` after a request without an answer. */
type SlotObject =
  | { readonly type: 'none' }
  | { readonly type: 'unknown' }
  | { readonly type: 'there'; readonly uid: string };

export interface WritersOptions {
  readonly api: Api;
  readonly random: Random;
  readonly perSecond: number;
}

const SLOTS_A_NAMESPACE = 12;
const MERGE_PATCH = 'application/merge-patch+json';
const TICK_MS = 20;

/** The name of a version, the same for writers and hooks. */
export function versionKey({ uid, resourceVersion }: Version): string {
  return `${uid}/${resourceVersion}`;
}

/** The name of the end of an object. */
export function endKey(uid: string): string {
  return `${uid}/deleted`;
}

/** Creates, changes and deletes objects at a steady rate, and records the changes that certainly happened. */
export class Writers {
  readonly writes: Write[] = [];
  /** Requests without an answer, or with an unexpected one. */
  unanswered = 0;
  readonly #options: WritersOptions;
  readonly #slots: readonly Slot[];
  readonly #inFlight = new Set<Promise<void>>();
  #isPaused = false;
  #counter = 0;

  constructor(options: WritersOptions) {
    this.#options = options;
    this.#slots = KINDS.flatMap((kind) =>
      NAMESPACES.flatMap((namespace) =>
        Array.from({ length: SLOTS_A_NAMESPACE }, (_, index) => {
          return { kind, namespace, name: `object-${index}`, object: { type: 'none' }, isBusy: false };
        }),
      ),
    );
  }

  /** Writes until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const startedAtMs = performance.now();
    let due = 0;
    while (!signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      const owed = ((performance.now() - startedAtMs) / 1000) * this.#options.perSecond;
      // Writes that were not possible during a pause or an outage are not repeated later.
      if (this.#isPaused || owed - due > this.#options.perSecond) due = owed;
      for (; due + 1 <= owed; due++) this.#start();
    }
    await Promise.all(this.#inFlight);
  }

  /** Resolves when no request is under way. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await Promise.all(this.#inFlight);
  }

  resume(): void {
    this.#isPaused = false;
  }

  #start(): void {
    const slot = this.#options.random.pick(this.#slots);
    const isDeletion = this.#options.random.next() < 0.12;
    if (slot.isBusy) return;
    slot.isBusy = true;
    const done = this.#write(slot, isDeletion).finally(() => {
      slot.isBusy = false;
      this.#inFlight.delete(done);
    });
    this.#inFlight.add(done);
  }

  async #write(slot: Slot, isDeletion: boolean): Promise<void> {
    const sentAtMs = Date.now();
    try {
      if (slot.object.type === 'unknown') await this.#lookUp(slot);
      else if (slot.object.type === 'none') await this.#create(slot, sentAtMs);
      else if (isDeletion) await this.#delete(slot, slot.object.uid, sentAtMs);
      else await this.#change(slot, sentAtMs);
    } catch {
      this.unanswered++;
      slot.object = { type: 'unknown' };
    }
  }

  async #lookUp(slot: Slot): Promise<void> {
    const answer = await this.#options.api.call('GET', pathOf(slot.kind, slot.namespace, slot.name));
    if (answer.status === 200) slot.object = { type: 'there', uid: versionOf(answer.body).uid };
    else if (answer.status === 404) slot.object = { type: 'none' };
  }

  async #create(slot: Slot, sentAtMs: number): Promise<void> {
    const { apiVersion, kind } = slot.kind;
    const object = { apiVersion, kind, metadata: { name: slot.name }, ...slot.kind.content(this.#counter++) };
    const answer = await this.#options.api.call('POST', pathOf(slot.kind, slot.namespace), object);
    if (this.#isOk(slot, answer)) slot.object = { type: 'there', uid: this.#wrote(slot, answer, sentAtMs).uid };
  }

  async #change(slot: Slot, sentAtMs: number): Promise<void> {
    const path = pathOf(slot.kind, slot.namespace, slot.name);
    const answer = await this.#options.api.call('PATCH', path, slot.kind.content(this.#counter++), MERGE_PATCH);
    if (this.#isOk(slot, answer)) this.#wrote(slot, answer, sentAtMs);
  }

  async #delete(slot: Slot, uid: string, sentAtMs: number): Promise<void> {
    const answer = await this.#options.api.call('DELETE', pathOf(slot.kind, slot.namespace, slot.name));
    if (!this.#isOk(slot, answer)) return;
    this.writes.push({ hook: slot.kind.hook, key: endKey(uid), sentAtMs });
    slot.object = { type: 'none' };
  }

  #isOk(slot: Slot, { status }: ApiAnswer): boolean {
    if (status >= 200 && status <= 299) return true;
    this.unanswered++;
    slot.object = { type: 'unknown' };
    return false;
  }

  #wrote(slot: Slot, { body }: ApiAnswer, sentAtMs: number): Version {
    const version = versionOf(body);
    this.writes.push({ hook: slot.kind.hook, key: versionKey(version), sentAtMs });
    return version;
  }
}
