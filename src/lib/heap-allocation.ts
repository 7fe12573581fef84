import { getHeapStatistics, GCProfiler } from 'node:v8';

/**
 * Counts the bytes allocated on the JavaScript heap, including those already collected; buffers are not on that heap.
 */
export class HeapAllocation {
  #profiler = startedProfiler();
  /** The heap in use at the last measurement or after the last collection. */
  #usedBytes = usedBytes();

  /**
   * Returns the bytes allocated since the last call. Call it every few seconds, because every garbage collection in
   * between is recorded.
   */
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

  /** Never negative: an incremental collection frees memory between its steps. */
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
