import { Bell } from './bell.ts';

/**
 * An unbounded queue between one producer and one consumer: `push` never waits; `for await` yields the values in order,
 * and ends after `close` once all values are taken.
 */
export class Channel<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #isClosed = false;
  readonly #bell = new Bell();

  get length(): number {
    return this.#values.length;
  }

  push(...values: readonly T[]): void {
    if (this.#isClosed) return;
    this.#values.push(...values);
    this.#bell.ring();
  }

  close(): void {
    this.#isClosed = true;
    this.#bell.ring();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (;;) {
      // Takes all values as a batch: shifting a long array is slow.
      const batch = this.#values.splice(0);
      if (batch.length > 0) {
        yield* batch;
        continue;
      }
      // Nothing may be awaited between this check and the wait, or a push in between would wake nobody.
      if (this.#isClosed) return;
      await this.#bell.rung();
    }
  }
}
