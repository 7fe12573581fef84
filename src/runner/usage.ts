import { readFileSync } from 'node:fs';

// USER_HZ, which is 100 on every architecture Linux runs Node on.
const TICK_MS = 10;
const FIRST_SAMPLE_MS = 10;
const LONGEST_PAUSE_MS = 1000;
const MAX_PROCESSES = 64;

/**
 * Returns a function that returns the CPU time of the children reaped since its last call; empty where there is no
 * /proc.
 */
export function createCpuMeter(): () => { readonly userCpuMs?: number; readonly systemCpuMs?: number } {
  let before = readChildTicks();
  return () => {
    const now = readChildTicks();
    if (before === undefined || now === undefined) return {};
    const usage = {
      userCpuMs: (now.user - before.user) * TICK_MS,
      systemCpuMs: (now.system - before.system) * TICK_MS,
    };
    before = now;
    return usage;
  };
}

function readChildTicks(): { readonly user: number; readonly system: number } | undefined {
  const stat = readProc('/proc/self/stat');
  if (stat === undefined) return undefined;
  // The name in parentheses may contain anything; after it the fields continue with the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { user: Number(fields[13]), system: Number(fields[14]) };
}

/** Samples the peak memory of a process and its descendants, at growing intervals, until `stop`. */
export function watchMemory(pid: number): { peak(): number | undefined; stop(): void } {
  let peak: number | undefined;
  let pauseMs = FIRST_SAMPLE_MS;
  const sample = (): void => {
    for (const member of descendants(pid)) {
      const rss = readPeakRss(member);
      if (rss !== undefined) peak = Math.max(peak ?? 0, rss);
    }
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    timer = setTimeout(sample, pauseMs);
  };
  let timer = setTimeout(sample, pauseMs);
  return {
    peak: () => peak,
    stop: () => clearTimeout(timer),
  };
}

function descendants(pid: number): readonly string[] {
  const found = [String(pid)];
  for (const member of found) {
    if (found.length >= MAX_PROCESSES) break;
    const children = readProc(`/proc/${member}/task/${member}/children`) ?? '';
    found.push(...children.split(' ').filter((child) => child !== ''));
  }
  return found;
}

function readPeakRss(pid: string): number | undefined {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // This is not Linux, or the process has just ended.
    return undefined;
  }
}
