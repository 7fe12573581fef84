import type { DeadFilter, DeadLetter } from '../hook/dead-control.ts';
import type { Hook, KubernetesBinding } from '../hook/binding.ts';
import { sliceName, subjectKey, subjectOf } from '../hook/subject.ts';
import type { QueuedTrigger, Snapshot, SnapshotItem, SynchronizationTrigger, Trigger } from '../hook/trigger.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { EndedPart, RunEvent, RunJournal } from './journal.ts';
import { letterDocument } from './dead-letter-json.ts';
import { letterOf, versionsOf } from './letter-of.ts';
import type { Run } from './run.ts';

export interface DeadLettersOptions {
  readonly now: () => number;
  /** The objects of a binding now. */
  readonly snapshotOf: (hook: Hook, binding: KubernetesBinding) => Snapshot;
  /** A letter was added or replaced. */
  readonly onDead: (letter: DeadLetter, hook: Hook) => void;
  /** The letters differ from what they were: they are to be persisted. */
  readonly onChange: () => void;
  readonly metrics: Pick<Metrics, 'deadLetters' | 'deadLettersDropped'>;
  readonly log: Logger;
}

/** How many letters are kept; the oldest is dropped for a newer one. */
export const MAX_LETTERS = 1000;
/** The letters as JSON: half of what a ConfigMap may hold, for its copy if somebody breaks it. */
export const MAX_LETTER_BYTES = 448 * 1024;
/** The last state of a deleted object is remembered up to this size, for a retry. */
const MAX_LAST_BYTES = 16 * 1024;

/** The subjects that are remembered while letters are read. */
const MAX_CLEARED = 10_000;

const LOG_EVERY_MS = 60_000;

interface Kept {
  readonly letter: DeadLetter;
  readonly bytes: number;
  /** Of a deletion: the last state of the object, in memory alone. */
  readonly last: SnapshotItem | undefined;
}

/**
 * What hooks gave up, as a subscriber of the journal. A letter stands for a hook, a binding and an object (or all ticks,
 * or the Synchronization, of a binding): when that is given up again, the letter is replaced. It is cleared
 *
 * - by a successful run for the same;
 * - by a new event of its object, when that is queued; for a `reconcile` binding when anything but the start or a resync
 *   queues the object;
 * - when its object is deleted (`gone`), and by a Synchronization that succeeds with another version of its object, or
 *   without it;
 * - by `take`, which a person asks for.
 *
 * What must hold: letters contain references and what the hook said, nothing of an object but its identity. There are at
 * most `MAX_LETTERS`, of `MAX_LETTER_BYTES` together.
 */
export class DeadLetters implements RunJournal {
  readonly #options: DeadLettersOptions;
  /** By subject, the last given up at the end. */
  readonly #letters = new Map<string, Kept>();
  #bytes = 0;
  /** While letters are expected, the subjects of what was queued or done since. */
  #cleared: Set<string> | undefined;
  /** Letters that were dropped since the last line in the log, and when that was. */
  #dropped = { count: 0, loggedAtMs: Number.NEGATIVE_INFINITY };

  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /** All letters, the last given up first. */
  get all(): readonly DeadLetter[] {
    return Array.from(this.#letters.values(), ({ letter }) => letter).toReversed();
  }

  record(event: RunEvent): void {
    if (event.type === 'queued') this.#queued(event.task.hook.name, event.task.triggers);
    else if (event.type === 'ended') for (const part of event.parts) this.#ended(event.run, part);
  }

  /** Letters are about to be read: whether one that is cleared meanwhile is left out when it is restored. */
  expect(isExpecting: boolean): void {
    this.#cleared = isExpecting ? (this.#cleared ?? new Set()) : undefined;
  }

  /** Forgets letters that are the business of another replica now; they stay where they are stored. */
  forget(isMeant: (letter: DeadLetter) => boolean): void {
    for (const [key, { letter }] of this.#letters) if (isMeant(letter)) this.#remove(key);
  }

  /** Adds letters of an earlier process, or another one, each unless there is a newer one about the same. */
  restore(letters: readonly DeadLetter[]): void {
    const newer = [...this.#letters];
    const known = new Set([...this.#letters.keys(), ...(this.#cleared ?? [])]);
    const older = letters.filter((letter) => !known.has(keyOf(letter))).toSorted((a, b) => a.lastAtMs - b.lastAtMs);
    this.#letters.clear();
    for (const letter of older) this.#set(letter);
    for (const [key, kept] of newer) this.#letters.set(key, kept);
    this.#trim();
  }

  /** An object of a binding was deleted. */
  gone(hook: string, { name: binding, kind }: KubernetesBinding, { namespace, name }: SnapshotItem): void {
    if (this.#letters.size > 0) this.#clear(subjectKey(hook, { type: 'event', binding, kind, namespace, name }));
  }

  /** The letters that a filter selects. */
  find(filter: DeadFilter): readonly DeadLetter[] {
    return this.all.filter((letter) => isSelected(letter, filter));
  }

  /** Removes a letter; returns the last state of its object if that was deleted and is remembered. */
  take(letter: DeadLetter): SnapshotItem | undefined {
    const last = this.#letters.get(keyOf(letter))?.last;
    this.#clear(keyOf(letter));
    return last;
  }

  /** Says what the content of the hooks was for letters that do not know it yet. */
  fingerprint(hook: string, fingerprint: string): void {
    for (const { letter, last } of this.#letters.values()) {
      if (letter.hook === hook && letter.fingerprint === undefined) this.#set({ ...letter, fingerprint }, last);
    }
  }

  #queued(hook: string, triggers: readonly Trigger[]): void {
    if (this.#letters.size === 0 && this.#cleared === undefined) return;
    for (const trigger of triggers) {
      const isNews = trigger.type === 'event' || (trigger.type === 'reconcile' && !QUIET.includes(trigger.reason));
      if (isNews) this.#clear(subjectOf(hook, trigger));
    }
  }

  #ended(run: Run, part: EndedPart): void {
    if (part.next.type === 'dead') this.#giveUp(run, part, part.next.why);
    if (part.next.type !== 'done' || (this.#letters.size === 0 && this.#cleared === undefined)) return;
    const { hook, triggers } = part.task;
    for (const trigger of triggers) {
      this.#clear(subjectOf(hook.name, trigger));
      if (trigger.type === 'synchronization') this.#synchronized(hook, trigger);
    }
  }

  #giveUp({ id: runId }: Run, part: EndedPart, why: DeadLetter['why']): void {
    const { now, onDead } = this.#options;
    const nowMs = now();
    for (const trigger of part.task.triggers) {
      if (trigger.type === 'ask') continue;
      const made = letterOf(part, trigger, { why, runId, nowMs });
      const firstAtMs = this.#letters.get(keyOf(made))?.letter.firstAtMs ?? made.firstAtMs;
      const letter = { ...made, firstAtMs: Math.min(firstAtMs, made.firstAtMs) };
      this.#clear(keyOf(letter));
      this.#set(letter, lastStateOf(trigger));
      onDead(letter, part.task.hook);
    }
    this.#trim();
    this.#options.onChange();
  }

  /** The hook was given all objects of a binding, or of one slice of it, and succeeded. */
  #synchronized(hook: Hook, { binding, slice }: SynchronizationTrigger): void {
    const ofBinding = [...this.#letters].filter(
      ([, { letter }]) => isOfBinding(letter, hook, binding) && (slice === undefined || letter.slice === slice.index),
    );
    if (ofBinding.length === 0) return;
    const objects = new Map(this.#options.snapshotOf(hook, binding).map((item) => [placeOf(item), item]));
    for (const [key, { letter }] of ofBinding) {
      if (letter.trigger.type !== 'event') continue;
      const item = objects.get(placeOf(letter.trigger));
      if (item === undefined || isOther(letter.trigger, versionsOf(item))) this.#clear(key);
    }
  }

  #set(letter: DeadLetter, last?: SnapshotItem): void {
    const key = keyOf(letter);
    const before = this.#letters.get(key);
    const bytes = Buffer.byteLength(JSON.stringify(letterDocument(letter))) + 1;
    this.#bytes += bytes - (before?.bytes ?? 0);
    this.#letters.set(key, { letter, bytes, last });
    if (before === undefined) this.#count(letter, 1);
  }

  #clear(key: string | undefined): void {
    if (key === undefined) return;
    if (this.#cleared !== undefined && this.#cleared.size < MAX_CLEARED) this.#cleared.add(key);
    if (this.#remove(key)) this.#options.onChange();
  }

  #remove(key: string): boolean {
    const kept = this.#letters.get(key);
    if (kept === undefined) return false;
    this.#letters.delete(key);
    this.#bytes -= kept.bytes;
    this.#count(kept.letter, -1);
    return true;
  }

  #trim(): void {
    for (const [key, { letter }] of this.#letters) {
      if (this.#letters.size <= MAX_LETTERS && this.#bytes <= MAX_LETTER_BYTES) return;
      this.#clear(key);
      this.#options.metrics.deadLettersDropped.inc({});
      this.#logDropped(letter);
    }
  }

  /** The first, then at most a line a minute. */
  #logDropped({ id, hook, binding }: DeadLetter): void {
    const { now, log } = this.#options;
    const nowMs = now();
    const count = this.#dropped.count + 1;
    const isLogged = nowMs - this.#dropped.loggedAtMs >= LOG_EVERY_MS;
    this.#dropped = isLogged ? { count: 0, loggedAtMs: nowMs } : { ...this.#dropped, count };
    if (isLogged)
      log.warn({ hook, binding, id, dropped: count }, 'there are too many dead letters: the oldest is dropped');
  }

  #count({ hook, binding }: DeadLetter, by: 1 | -1): void {
    this.#options.metrics.deadLetters.of({ hook, binding }).value += by;
  }
}

/** What is no news of an object. */
const QUIET: readonly string[] = ['start', 'resync'];

/** The subject of a letter. */
function keyOf({ hook, binding, trigger }: DeadLetter): string {
  const object = 'kind' in trigger ? trigger : {};
  const slice = trigger.type === 'synchronization' ? trigger.slice : undefined;
  return subjectKey(hook, {
    ...object,
    ...(slice !== undefined && { name: sliceName(slice) }),
    type: trigger.type,
    binding,
  });
}

function isOfBinding({ hook, binding, trigger }: DeadLetter, ofHook: Hook, of: KubernetesBinding): boolean {
  return hook === ofHook.name && binding === of.name && trigger.type === 'event' && trigger.kind === of.kind;
}

/** Whether two versions of an object are known to differ; where both have a generation, that decides. */
function isOther(then: ReturnType<typeof versionsOf>, now: ReturnType<typeof versionsOf>): boolean {
  const differs = (key: 'uid' | 'generation' | 'resourceVersion'): boolean | undefined =>
    then[key] === undefined || now[key] === undefined ? undefined : then[key] !== now[key];
  return differs('uid') === true || (differs('generation') ?? differs('resourceVersion') ?? false);
}

function isSelected(letter: DeadLetter, { id, ids, hook, reason, object }: DeadFilter): boolean {
  if (ids?.includes(letter.id) === false) return false;
  const { trigger } = letter;
  const place = 'name' in trigger ? placeOf(trigger) : undefined;
  const isReason = reason === undefined || reason === letter.reason || reason === letter.why;
  return isReason && isEqual(id, letter.id) && isEqual(hook, letter.hook) && isEqual(object, place);
}

function isEqual(wanted: string | undefined, value: string | undefined): boolean {
  return wanted === undefined || wanted === value;
}

function placeOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function lastStateOf(trigger: QueuedTrigger): SnapshotItem | undefined {
  if (trigger.type !== 'event' || trigger.watchEvent !== 'Deleted') return undefined;
  const { item } = trigger;
  return (item.object?.length ?? 0) + (item.filterResult?.length ?? 0) <= MAX_LAST_BYTES ? item : undefined;
}
