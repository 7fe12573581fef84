import type { SnapshotItem } from '../../hook/trigger.ts';
import type { Placed } from '../../kube/watch/object-index.ts';

/** A change of one object: it exists and `view` shows it, or it is deleted and `view` shows its last state. */
export interface ObjectStep {
  readonly type: 'put' | 'delete';
  readonly namespace: string;
  readonly name: string;
  /** From a watch event; absent for objects of a list, and for deletions. */
  readonly resourceVersion?: string;
  /** The resourceVersion of the state before, of a watch event that modified an object. */
  readonly previousVersion?: string;
  /** Makes the item of the object; must not throw or reject. Absent: the item is the last one known. */
  readonly view?: () => SnapshotItem | Promise<SnapshotItem>;
}

/** A step whose view has ended; `item` is undefined for a step without one. */
export type SeenStep = Omit<ObjectStep, 'view'> & { readonly item: SnapshotItem | undefined };

/** A key for a namespace and name, neither of which contains a slash. */
export function placeKey({ namespace, name }: Placed): string {
  return `${namespace}/${name}`;
}

/**
 * Keeps the steps of each object in order although a view may take long: one that runs a slow filter returns a promise.
 * `Observation` passes every step to `take`. A step whose view ends immediately is returned by `take`; any other is
 * passed to `done` later.
 *
 * An object is either idle or pending. While its view is pending, later steps of that object wait, and those of all
 * other objects go ahead. Of the waiting steps only the newest state counts: at most one deletion and one put after it
 * are kept, so the views of the states in between never run. `clear` forgets all pending steps.
 */
export class LateViews {
  readonly #done: (step: SeenStep) => void;
  /** By key, the objects whose view is pending, each with the steps that wait for it. */
  #pending = new Map<string, ObjectStep[]>();

  /** `done` receives each step that `take` did not return. */
  constructor(done: (step: SeenStep) => void) {
    this.#done = done;
  }

  /** Returns the step with its item; undefined where it has to wait, and then its view may be called later or never. */
  take(step: ObjectStep): SeenStep | undefined {
    const key = placeKey(step);
    const waiting = this.#pending.get(key);
    if (waiting === undefined) return this.#view(key, step, []);
    const replaced = waiting.at(-1)?.type === 'put' ? waiting.pop() : undefined;
    if (waiting.at(-1)?.type !== 'delete' || step.type === 'put') waiting.push(afterReplaced(step, replaced));
    return undefined;
  }

  /** Whether a view of this object is pending. */
  has(place: Placed): boolean {
    return this.#pending.size > 0 && this.#pending.has(placeKey(place));
  }

  /** Forgets all pending and waiting steps: `done` is not called for them. */
  clear(): void {
    this.#pending = new Map();
  }

  #view(key: string, step: ObjectStep, waiting: ObjectStep[]): SeenStep | undefined {
    const { view, ...about } = step;
    const seen = view?.();
    if (!(seen instanceof Promise)) return { ...about, item: seen };
    this.#pending.set(key, waiting);
    void seen.then((item) => {
      if (this.#pending.get(key) !== waiting) return;
      this.#pending.delete(key);
      this.#done({ ...about, item });
      this.#runWaiting(key, waiting);
    });
    return undefined;
  }

  #runWaiting(key: string, waiting: ObjectStep[]): void {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const seen = this.#view(key, step, waiting);
      if (seen === undefined) return;
      this.#done(seen);
    }
  }
}

/** A step that replaces a waiting one follows the state before that one. */
function afterReplaced(step: ObjectStep, replaced: ObjectStep | undefined): ObjectStep {
  if (replaced === undefined) return step;
  const { previousVersion: _skipped, ...rest } = step;
  return replaced.previousVersion === undefined ? rest : { ...rest, previousVersion: replaced.previousVersion };
}
