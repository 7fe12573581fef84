import { UsageError } from '../../errors.ts';
import type { Hook } from '../../hook/binding.ts';
import type { Pause, PauseTarget } from '../../hook/pause-control.ts';
import { subjectOf } from '../../hook/subject.ts';
import { queueOf } from '../../hook/task.ts';
import type { QueuedTrigger, Trigger } from '../../hook/trigger.ts';

/** How many pauses by hand there may be. */
export const MAX_PAUSES = 1000;

/** The key of what pauses a trigger: that of `targetKey`, `namespace/…` or `annotated/…`. */
export type PauseKey = string;

/**
 * What is paused: by hand a hook, a queue or an object; by annotation an object or all of a namespace. It decides for a
 * trigger whether it has to wait, and remembers nothing of what waits.
 */
export class PauseRules {
  readonly #byHand = new Map<PauseKey, Pause>();
  #namespaces: ReadonlySet<string> = new Set();
  /** The subjects of objects that are annotated, where the trigger itself does not say so. */
  readonly #annotated = new Set<string>();

  /** The pauses by hand, oldest first. */
  get byHand(): readonly Pause[] {
    return [...this.#byHand.values()];
  }

  /** The annotated namespaces, sorted. */
  get namespaces(): readonly string[] {
    return [...this.#namespaces].toSorted();
  }

  /** Adds a pause by hand; returns false when it is there already. Throws `UsageError` when there are too many. */
  add(pause: Pause): boolean {
    const key = targetKey(pause.target);
    if (this.#byHand.has(key)) return false;
    if (this.#byHand.size >= MAX_PAUSES) throw new UsageError(`there are ${MAX_PAUSES} pauses already: resume some`);
    this.#byHand.set(key, pause);
    return true;
  }

  /** Adds the pauses of an earlier process, before those of this one. */
  restore(pauses: readonly Pause[]): void {
    const own = [...this.#byHand];
    this.#byHand.clear();
    for (const pause of pauses.slice(0, MAX_PAUSES)) this.#byHand.set(targetKey(pause.target), pause);
    for (const [key, pause] of own) this.#byHand.set(key, pause);
  }

  /** Has exactly these be the pauses by hand; returns whether that is a change. */
  replace(pauses: readonly Pause[]): boolean {
    const wanted = new Map(pauses.slice(0, MAX_PAUSES).map((pause) => [targetKey(pause.target), pause]));
    const isSame = wanted.size === this.#byHand.size && [...wanted.keys()].every((key) => this.#byHand.has(key));
    if (isSame) return false;
    this.#byHand.clear();
    for (const [key, pause] of wanted) this.#byHand.set(key, pause);
    return true;
  }

  /** Removes a pause by hand; returns false when there is none. */
  remove(target: PauseTarget): boolean {
    return this.#byHand.delete(targetKey(target));
  }

  setNamespaces(names: ReadonlySet<string>): void {
    this.#namespaces = names;
  }

  /** An object is annotated, or not any more; for objects whose triggers do not say so. */
  mark(subject: string, isPaused: boolean): void {
    if (isPaused) this.#annotated.add(subject);
    else this.#annotated.delete(subject);
  }

  isHookPaused(hook: string): boolean {
    return this.#byHand.has(targetKey({ type: 'hook', hook }));
  }

  isQueuePaused(queue: string): boolean {
    return this.#byHand.has(targetKey({ type: 'queue', queue }));
  }

  /** What a new trigger waits for; undefined when it may be queued. */
  pauseOf(hook: Hook, trigger: QueuedTrigger): PauseKey | undefined {
    if (this.#isEmpty && !isMarked(trigger)) return undefined;
    const queue = targetKey({ type: 'queue', queue: queueOf(hook, trigger).name });
    return this.asidePauseOf(hook, trigger) ?? (this.#byHand.has(queue) ? queue : undefined);
  }

  /** What a trigger waits for outside its queue; a paused queue keeps its tasks. */
  asidePauseOf(hook: Hook, trigger: Trigger): PauseKey | undefined {
    if (this.#isEmpty && !isMarked(trigger)) return undefined;
    const ofHook = targetKey({ type: 'hook', hook: hook.name });
    if (this.#byHand.has(ofHook)) return ofHook;
    return trigger.type === 'event' || trigger.type === 'reconcile' ? this.#pauseOfObject(hook, trigger) : undefined;
  }

  #pauseOfObject(hook: Hook, trigger: Extract<Trigger, { readonly type: 'event' | 'reconcile' }>): string | undefined {
    const { namespace, name } = trigger.type === 'event' ? trigger.item : trigger;
    const { kind } = trigger.binding;
    const named = [{}, { kind }, { hook: hook.name }, { kind, hook: hook.name }]
      .map((more) => targetKey({ type: 'object', namespace, name, ...more }))
      .find((key) => this.#byHand.has(key));
    if (named !== undefined) return named;
    if (this.#namespaces.has(namespace)) return namespaceKey(namespace);
    const subject = subjectOf(hook.name, trigger) ?? '';
    return isMarked(trigger) || this.#annotated.has(subject) ? annotatedKey({ kind, namespace, name }) : undefined;
  }

  get #isEmpty(): boolean {
    return this.#byHand.size === 0 && this.#namespaces.size === 0 && this.#annotated.size === 0;
  }
}

/** The same for the same target. */
export function targetKey(target: PauseTarget): PauseKey {
  switch (target.type) {
    case 'hook':
      return `hook/${target.hook}`;
    case 'queue':
      return `queue/${target.queue}`;
    case 'object': {
      const { kind = '', namespace, name, hook = '' } = target;
      return `object/${JSON.stringify([kind.toLowerCase(), namespace, name, hook])}`;
    }
  }
}

export function namespaceKey(namespace: string): PauseKey {
  return `namespace/${namespace}`;
}

const ANNOTATED = 'annotated/';

function annotatedKey(object: { readonly kind: string; readonly namespace: string; readonly name: string }): PauseKey {
  return ANNOTATED + JSON.stringify([object.kind, object.namespace, object.name]);
}

/** The object of a key for an annotation; undefined for any other key. */
export function annotatedObject(key: PauseKey): Extract<PauseTarget, { readonly type: 'object' }> | undefined {
  if (!key.startsWith(ANNOTATED)) return undefined;
  const [kind = '', namespace = '', name = '']: readonly string[] = JSON.parse(key.slice(ANNOTATED.length));
  return { type: 'object', kind, namespace, name };
}

/** Whether the event shows that its object is annotated. With its deletion the annotation is gone. */
function isMarked(trigger: Trigger): boolean {
  return trigger.type === 'event' && trigger.watchEvent !== 'Deleted' && trigger.item.isPaused === true;
}
