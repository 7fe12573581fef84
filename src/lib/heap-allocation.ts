import { getHeapStatistics, GCProfiler } from 'node:v8';

/** Counts the bytes that JavaScript takes from its heap, whether they are given back or not; buffers are not on it. */
export class HeapAllocation {
  #profiler = startedProfiler();
  /** What was in use when it was looked at last, after a collection or now. */
  #usedBytes = usedBytes();

  /** The bytes taken since the last call. Call it every few seconds: until then each garbage collection is noted down. */
  take(): number {
    const { statistics } = this.#profiler.stop();
    this.#profiler = startedProfiler();
    let taken = 0;
    for (const { beforeGC, afterGC } of statistics) {
      taken += this.#grow(beforeGC.heapStatistics.usedHeapSize);
      this.#usedBytes = afterGC.heapStatistics.usedHeapSize;
    }
    return taken + this.#grow(usedBytes());
  }

  [Symbol.dispose](): void {
    this.#profiler.stop();
  }

  /** A collection that is done in steps gives back between them. */
  #grow(bytes: number): number {
    const grown = Math.max(0, bytes - this.#usedBytes);
    this.#usedBytes = bytes;
    return grown;
  }
}

function startedProfiler(): GCProfiler {
  const profiler = new GCProfiler();
  profiler.start();
  return profiler;
}

function usedBytes(): number {
  return getHeapStatistics().used_heap_size;
}
