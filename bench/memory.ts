import { readdirSync, readFileSync } from 'node:fs';

const SAMPLES_PER_SECOND = 20;
const TICKS_PER_SECOND = 100;

/** The sampled memory of a process tree as PSS, in which a shared page is divided among its processes. */
export interface MemoryWatch extends Disposable {
  /** The highest sample so far. */
  readonly peakMb: number;
  /** The last sample. */
  readonly lastMb: number;
}

/** Samples the process tree 20 times a second until disposed. */
export function watchMemory(pid: number): MemoryWatch {
  const watch = { peakMb: 0, lastMb: 0 };
  const sample = (): void => {
    watch.lastMb = pssMb(pid);
    watch.peakMb = Math.max(watch.peakMb, watch.lastMb);
  };
  sample();
  const timer = setInterval(sample, 1000 / SAMPLES_PER_SECOND);
  return {
    get peakMb() {
      return watch.peakMb;
    },
    get lastMb() {
      return watch.lastMb;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** The current PSS of a process tree in megabytes (10^6). */
export function pssMb(pid: number): number {
  return (
    treeOf(pid)
      .map(pssKib)
      .reduce((sum, kib) => sum + kib, 0) * 1.024e-3
  );
}

/** User and system time of a process tree, including descendants that have ended and were waited for. */
export function cpuSeconds(pid: number): number {
  return treeOf(pid)
    .map(cpuTicks)
    .reduce((sum, ticks) => sum + ticks / TICKS_PER_SECOND, 0);
}

/** CPU time of a process tree with nanosecond precision; without threads and processes that have ended. */
export function busySeconds(pid: number): number {
  const threads = treeOf(pid).flatMap((one) =>
    orElse(() => readdirSync(`/proc/${one}/task`), []).map((thread) => `/proc/${one}/task/${thread}/schedstat`),
  );
  return threads
    .map((path) => Number(orElse(() => readFileSync(path, 'utf8'), '').split(' ')[0] ?? 0))
    .reduce((sum, ns) => sum + ns / 1e9, 0);
}

/** The ids of a process and all its descendants. */
export function treeOf(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

function childrenOf(pid: number): readonly number[] {
  const threads = orElse(() => readdirSync(`/proc/${pid}/task`), []);
  return threads.flatMap((thread) =>
    orElse(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
}

function pssKib(pid: number): number {
  const rollup = orElse(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), '');
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
}

function cpuTicks(pid: number): number {
  const fields = orElse(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), '')
    .split(') ')[1]
    ?.split(' ');
  return (fields ?? []).slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** A process may end while it is being read. */
function orElse<T>(read: () => T, fallback: T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
