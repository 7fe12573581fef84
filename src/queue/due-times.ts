import { aborted } from '../lib/aborted.ts';
import { sleep } from '../lib/sleep.ts';

interface Due<K> {
  readonly key: K;
  /** By the wall clock of the moment in which it was set, for people. */
  readonly atMs: number;
  /** By the clock that is never set. */
  readonly dueMs: number;
}

/**
 * When each of many keys is due, with one timer for the earliest of them. A queue sets and deletes keys at any time, and
 * has `run` tell it what became due. Each change takes time in proportion to the logarithm of the number of keys. Nothing
 * becomes due earlier or later when the wall clock is set.
 *
 * What must hold: the heap has an element of every key in `#due`. An element that is not the one in `#due` is left from
 * an earlier time of its key, and is passed over; the heap is rebuilt before such elements are more than the others.
 */
export class DueTimes<K> {
  readonly #due = new Map<K, Due<K>>();
  #heap: Due<K>[] = [];
  #wake: () => void = () => {};

  get size(): number {
    return this.#due.size;
  }

  /** When a key is due; undefined for one that is not set. */
  get(key: K): number | undefined {
    return this.#due.get(key)?.atMs;
  }

  /** Sets when a key is due, in milliseconds since the epoch, instead of any time before. */
  set(key: K, atMs: number): void {
    const due = { key, atMs, dueMs: performance.now() + atMs - Date.now() };
    this.#due.set(key, due);
    if (this.#heap.length > 2 * this.#due.size + 16) this.#rebuild();
    else this.#add(due);
    if (this.#heap[0] === due) this.#wake();
  }

  /** Forgets a key; returns whether it was set. */
  delete(key: K): boolean {
    return this.#due.delete(key);
  }

  /** Calls `onDue` for each key when it is due, and forgets it, until `signal` aborts. */
  async run(onDue: (key: K) => void, signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        for (let due = this.#earliest(); due !== undefined && due.dueMs <= performance.now(); due = this.#earliest()) {
          this.#due.delete(due.key);
          onDue(due.key);
        }
        await this.#wait();
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** Waits until a key is due, or an earlier one is set. */
  async #wait(): Promise<void> {
    const earliest = this.#earliest();
    const changed = new AbortController();
    this.#wake = () => changed.abort();
    if (earliest === undefined) await aborted(changed.signal);
    else await sleep(earliest.dueMs - performance.now(), changed.signal);
    this.#wake = () => {};
  }

  #earliest(): Due<K> | undefined {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (this.#due.get(first.key) === first) return first;
      this.#removeFirst();
    }
    return undefined;
  }

  #rebuild(): void {
    // A sorted list is a heap.
    this.#heap = [...this.#due.values()].toSorted((a, b) => a.dueMs - b.dueMs);
  }

  #add(due: Due<K>): void {
    const heap = this.#heap;
    let index = heap.push(due) - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || parent.dueMs <= due.dueMs) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = due;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const below = dueOf(heap[right]) < dueOf(heap[left]) ? right : left;
      const child = heap[below];
      if (child === undefined || child.dueMs >= last.dueMs) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
  }
}

function dueOf(due: { readonly dueMs: number } | undefined): number {
  return due?.dueMs ?? Number.POSITIVE_INFINITY;
}
