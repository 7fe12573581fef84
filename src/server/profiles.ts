import { sleep } from '../lib/sleep.ts';
import type { HttpAnswer, HttpRequest } from './answering.ts';

/*
 * Profiles of the operator's own process, for its developers: in the formats of V8, which Chrome's DevTools and
 * speedscope open. Go's cannot be made by another runtime, so no path here answers `go tool pprof`. They are given on the
 * control socket and the debug port alone: a profile costs a part of the CPU while it is taken.
 */

const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 50;
/** Bytes between two samples of allocations: the default of V8. */
const HEAP_INTERVAL = 32_768;

/** Where profiles are, and how to open them. */
export const PROFILES_TEXT = `Profiles of hooklet, in the formats of V8: open them in Chrome's DevTools or with speedscope.
Profiles of Go do not exist here, and go tool pprof cannot read these.

GET /debug/pprof/profile?seconds=${DEFAULT_SECONDS}   CPU, a .cpuprofile
GET /debug/pprof/heap?seconds=${DEFAULT_SECONDS}      allocations that are still in use, a .heapprofile

They are given on the control socket, at most ${MAX_SECONDS} seconds long:

  hooklet raw '/debug/pprof/profile?seconds=${DEFAULT_SECONDS}' > hooklet.cpuprofile
`;

/** Answers what is below `/debug/pprof/`; one profile at a time. */
export function createProfiles(): (request: HttpRequest) => Promise<HttpAnswer> {
  let isBusy = false;
  return async ({ method, path, query, signal }) => {
    if (method !== 'GET') return { ...text(405, 'only GET\n'), headers: { allow: 'GET' } };
    const take = TAKEN.get(path);
    if (take === undefined) return text(isIndex(path) ? 200 : 404, PROFILES_TEXT);
    const seconds = secondsIn(query);
    if (seconds === undefined) return text(400, `seconds: expected a number from 1 to ${MAX_SECONDS}\n`);
    if (isBusy) return text(429, 'another profile is taken now\n');
    isBusy = true;
    try {
      return { status: 200, type: 'application/json', body: JSON.stringify(await take(seconds * 1000, signal)) };
    } finally {
      isBusy = false;
    }
  };
}

/** Whether a path is that of the profiles. */
export function isProfilePath(path: string): boolean {
  return path === '/debug/pprof' || path.startsWith('/debug/pprof/');
}

function isIndex(path: string): boolean {
  return path === '/debug/pprof' || path === '/debug/pprof/';
}

type Take = (durationMs: number, signal: AbortSignal) => Promise<object>;

const TAKEN: ReadonlyMap<string, Take> = new Map([
  ['/debug/pprof/profile', takeCpu],
  ['/debug/pprof/heap', takeHeap],
]);

async function takeCpu(durationMs: number, signal: AbortSignal): Promise<object> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await sleep(durationMs, signal);
    const { profile } = await session.post('Profiler.stop');
    return profile;
  } finally {
    session.disconnect();
  }
}

async function takeHeap(durationMs: number, signal: AbortSignal): Promise<object> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL });
    await sleep(durationMs, signal);
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return profile;
  } finally {
    session.disconnect();
  }
}

function secondsIn(query: URLSearchParams): number | undefined {
  const given = query.get('seconds') ?? String(DEFAULT_SECONDS);
  const seconds = Number(given);
  return /^\d{1,3}$/.test(given) && seconds >= 1 && seconds <= MAX_SECONDS ? seconds : undefined;
}

function text(status: number, body: string): HttpAnswer {
  return { status, type: 'text/plain; charset=utf-8', body };
}
