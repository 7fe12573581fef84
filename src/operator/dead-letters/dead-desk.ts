import { HookletError } from '../../errors.ts';
import { isAskBinding } from '../../hook/ask-binding.ts';
import type { Binding, Hook, KubernetesBinding } from '../../hook/binding.ts';
import { present } from '../../hook/config-reader.ts';
import type {
  DeadControl,
  DeadFilter,
  DeadLetter,
  DeadLetterStatus,
  DeadRetried,
  LetterObject,
  LetterTrigger,
} from '../../hook/dead-control.ts';
import type { OwnSlice } from '../../hook/shard.ts';
import type { EventTrigger, QueuedTrigger, Snapshot, SnapshotItem } from '../../hook/trigger.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Logger } from '../../log.ts';
import type { DeadLetters } from '../../run/dead-letters.ts';
import type { HashOf } from './hook-hashes.ts';

export interface DeadDeskOptions {
  readonly letters: Pick<DeadLetters, 'find' | 'take'>;
  /** Reads the letters of earlier processes. */
  readonly open: () => Promise<void>;
  /** The hook with this name; undefined when there is none, or it is broken. */
  readonly hookNamed: (name: string) => Hook | undefined;
  readonly snapshotOf: (hook: Hook, binding: KubernetesBinding) => Snapshot;
  /** Whether that snapshot shows all that it is to show; with `slice` of that slice. */
  readonly isListed: (hook: Hook, binding: KubernetesBinding, slice: OwnSlice | undefined) => boolean;
  readonly emit: (hook: Hook, trigger: QueuedTrigger) => void;
  /** Runs a schedule now. */
  readonly triggerSchedule: (hook: string, binding: string) => Promise<unknown>;
  /** The own slice that a letter is of; absent: objects are not divided. */
  readonly sliceOf?: ((letter: DeadLetter) => OwnSlice | undefined) | undefined;
  readonly hashOf: HashOf;
  readonly log: Logger;
}

/**
 * What a person may do with dead letters. A retry makes what happened a trigger again: an event with the object as it is
 * now, a deletion with what is known of the object, a tick by hand, a Synchronization, a Reconcile. The letter is
 * dropped with that; another failure writes it anew. It stays while its slice is on the way to another replica, and until
 * it is known whether its object is there.
 */
export function createDeadDesk(options: DeadDeskOptions): DeadControl {
  const { letters, open, log } = options;
  return {
    async list() {
      await open();
      return Promise.all(letters.find({}).map(async (letter) => statusOf(letter, options)));
    },
    async retry(filter) {
      await open();
      const retried = { retried: 0, hookGone: 0, objectGone: 0 };
      const found = inOrder(letters.find(filter)).filter((letter) => isHere(letter, options));
      for (const letter of found) retried[await retry(letter, options)] += 1;
      log.info({ ...shown(filter), ...retried }, 'dead letters retried by hand');
      return retried;
    },
    async drop(filter) {
      await open();
      const found = letters.find(filter);
      for (const letter of found) letters.take(letter);
      log.info({ ...shown(filter), dropped: found.length }, 'dead letters dropped by hand');
      return found.length;
    },
  };
}

function isHere(letter: DeadLetter, { hookNamed, sliceOf, isListed }: DeadDeskOptions): boolean {
  const slice = letter.slice === undefined ? undefined : sliceOf?.(letter);
  if (slice?.given.aborted === true) return false;
  const hook = hookNamed(letter.hook);
  const binding = hook?.bindings.find((one) => isBindingOf(letter, one));
  if (hook === undefined || binding?.type !== 'kubernetes' || letter.trigger.type !== 'event') return true;
  return isListed(hook, binding, slice);
}

async function statusOf(letter: DeadLetter, { hookNamed, hashOf }: DeadDeskOptions): Promise<DeadLetterStatus> {
  const hook = hookNamed(letter.hook);
  if (hook === undefined) return { ...letter, hookIs: 'gone' };
  const hash = await hashOf(hook);
  if (hash === undefined || letter.fingerprint === undefined) return { ...letter, hookIs: 'unknown' };
  return { ...letter, hookIs: hash === letter.fingerprint ? 'same' : 'changed' };
}

async function retry(letter: DeadLetter, options: DeadDeskOptions): Promise<keyof DeadRetried> {
  const hook = options.hookNamed(letter.hook);
  const binding = hook?.bindings.find((one) => isBindingOf(letter, one));
  if (hook === undefined || binding === undefined) return 'hookGone';
  if (binding.type === 'schedule') return retryTick(letter, options);
  const last = options.letters.take(letter);
  const trigger = triggerOf(letter.trigger, { hook, binding, last }, options);
  if (trigger === undefined) return 'objectGone';
  const slice = letter.slice === undefined ? undefined : options.sliceOf?.(letter);
  options.emit(hook, slice === undefined ? trigger : inSlice(trigger, slice));
  return 'retried';
}

function inSlice(trigger: QueuedTrigger, slice: OwnSlice): QueuedTrigger {
  switch (trigger.type) {
    case 'event':
    case 'reconcile':
    case 'synchronization':
      return { ...trigger, slice };
    case 'onStartup':
    case 'schedule':
    case 'http':
      return trigger;
    default:
      return unreachable(trigger);
  }
}

async function retryTick(
  letter: DeadLetter,
  { letters, triggerSchedule }: DeadDeskOptions,
): Promise<keyof DeadRetried> {
  try {
    await triggerSchedule(letter.hook, letter.binding);
  } catch (error) {
    if (error instanceof HookletError) return 'hookGone';
    throw error;
  }
  letters.take(letter);
  return 'retried';
}

interface Known {
  readonly hook: Hook;
  readonly binding: Binding;
  readonly last: SnapshotItem | undefined;
}

function triggerOf(
  trigger: LetterTrigger,
  { hook, binding, last }: Known,
  { snapshotOf }: DeadDeskOptions,
): QueuedTrigger | undefined {
  if (isAskBinding(binding)) return undefined;
  switch (binding.type) {
    case 'onStartup':
      return { type: 'onStartup', binding };
    case 'schedule':
    case 'http':
      return undefined;
    case 'reconcile': {
      if (trigger.type !== 'reconcile') return undefined;
      const { namespace, name } = trigger;
      return { type: 'reconcile', binding, namespace, name, reason: 'manual' };
    }
    case 'kubernetes': {
      if (trigger.type !== 'event') return { type: 'synchronization', binding };
      const isSame = (item: SnapshotItem): boolean =>
        item.namespace === trigger.namespace && item.name === trigger.name;
      const item = snapshotOf(hook, binding).find(isSame);
      return item === undefined ? deletionOf(trigger, binding, last) : changeOf(trigger, binding, item);
    }
    default:
      return unreachable(binding);
  }
}

type LetterEvent = Extract<LetterTrigger, { readonly type: 'event' }>;

/** An object that was deleted and is there again has changed. */
function changeOf({ watchEvent }: LetterEvent, binding: KubernetesBinding, item: SnapshotItem): EventTrigger {
  return { type: 'event', binding, watchEvent: watchEvent === 'Deleted' ? 'Modified' : watchEvent, item };
}

function deletionOf(
  trigger: LetterEvent,
  binding: KubernetesBinding,
  last: SnapshotItem | undefined,
): EventTrigger | undefined {
  if (!binding.executeHookOnEvent.includes('Deleted')) return undefined;
  return { type: 'event', binding, watchEvent: 'Deleted', item: last ?? itemOf(trigger, binding) };
}

/** What the letter knows of an object that is gone. */
function itemOf(object: LetterObject, { keepFullObjectsInMemory }: KubernetesBinding): SnapshotItem {
  const { apiVersion, kind, namespace, name, uid, resourceVersion, generation } = object;
  if (!keepFullObjectsInMemory) return { namespace, name };
  const place = { name, ...(namespace !== '' && { namespace }) };
  const metadata = { ...place, ...present({ uid, resourceVersion, generation }) };
  return { namespace, name, object: Buffer.from(JSON.stringify({ ...present({ apiVersion }), kind, metadata })) };
}

/** Whether a letter is about this binding of its hook. */
function isBindingOf({ binding, trigger }: DeadLetter, one: Binding): boolean {
  if (one.type === 'onStartup') return trigger.type === 'onStartup';
  if (one.name !== binding) return false;
  if (!('kind' in trigger)) return one.type === trigger.type;
  const type = trigger.type === 'reconcile' ? 'reconcile' : 'kubernetes';
  return one.type === type && one.kind === trigger.kind;
}

/** The oldest first, as they were given up. */
function inOrder(letters: readonly DeadLetter[]): readonly DeadLetter[] {
  return letters.toReversed();
}

function shown({ hook, ids, ...filter }: DeadFilter): object {
  return present({ hook, ...filter, ids: ids?.length });
}
