import type { SnapshotItem } from '../../hook/trigger.ts';
import type { Placed } from '../../kube/watch/object-index.ts';

/** What is to be done with an object: it is there as `look` shows it, or it is gone, last seen as `look` shows it. */
export interface ObjectStep {
  readonly type: 'put' | 'delete';
  readonly namespace: string;
  readonly name: string;
  /** The version that a watch brought; absent for what a list showed, and for what is gone. */
  readonly resourceVersion?: string;
  /** Absent: as it was known before. */
  readonly look?: () => SnapshotItem | Promise<SnapshotItem>;
}

/** A step whose look has ended. */
export type SeenStep = Omit<ObjectStep, 'look'> & { readonly item: SnapshotItem | undefined };

/** A name for a place; neither part has a slash in it. */
export function placeKey({ namespace, name }: Placed): string {
  return `${namespace}/${name}`;
}

/**
 * Does steps at once where their look ends at once. While the look at an object takes long, later steps of that object
 * wait behind it and those of all others go ahead. Of what waits only the newest state counts: at most one deletion and
 * one state after it.
 */
export class LateViews {
  readonly #done: (step: SeenStep) => void;
  /** The objects that are looked at, and what waits for the end of that. */
  #away = new Map<string, ObjectStep[]>();

  /** `done` is told of each step that ended later. */
  constructor(done: (step: SeenStep) => void) {
    this.#done = done;
  }

  /** The step with what it shows, or nothing while that takes time; its look may be called later. */
  take(step: ObjectStep): SeenStep | undefined {
    const key = placeKey(step);
    const waiting = this.#away.get(key);
    if (waiting === undefined) return this.#look(key, step, []);
    if (waiting.at(-1)?.type === 'put') waiting.pop();
    if (waiting.at(-1)?.type !== 'delete' || step.type === 'put') waiting.push(step);
    return undefined;
  }

  /** Whether a step of this object is not done yet. */
  has(place: Placed): boolean {
    return this.#away.size > 0 && this.#away.has(placeKey(place));
  }

  /** What has not ended is of no interest any more. */
  clear(): void {
    this.#away = new Map();
  }

  #look(key: string, step: ObjectStep, waiting: ObjectStep[]): SeenStep | undefined {
    const { look, ...about } = step;
    const seen = look?.();
    if (!(seen instanceof Promise)) return { ...about, item: seen };
    this.#away.set(key, waiting);
    void seen.then((item) => {
      if (this.#away.get(key) !== waiting) return;
      this.#away.delete(key);
      this.#done({ ...about, item });
      this.#goOn(key, waiting);
    });
    return undefined;
  }

  #goOn(key: string, waiting: ObjectStep[]): void {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const seen = this.#look(key, step, waiting);
      if (seen === undefined) return;
      this.#done(seen);
    }
  }
}
