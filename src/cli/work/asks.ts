import type { HandedRun, HeldRun, RunToEnd, WorkerHello, WorkerTerms } from '../../hook/work-desk.ts';
import { EPOCH_HEADER } from '../../hook/remote-wire.ts';
import { MAX_WAIT_S, workPath, type WorkPath } from '../../hook/work-path.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import { encodeResult } from '../../hook/result-wire.ts';
import {
  encodeBeat,
  encodeHello,
  MAX_ENDS_BYTES,
  MAX_RUNS_BYTES,
  parseEnds,
  parseRuns,
  parseTerms,
} from '../../hook/work-wire.ts';
import type { Parsed } from '../../lib/members.ts';
import { textOf, type Ask } from '../agent/reach.ts';

const MIB = 1024 * 1024;
const MAX_TEXT_BYTES = 256 * 1024;
/** Far above what binding contexts have. */
const MAX_CONTEXT_BYTES = 1024 * MIB;
/** Half a MiB a second: what a network must bring about. */
const LEAST_BYTES_PER_MS = 512;
const SMALL_LIMIT_MS = 10_000;
const HELD_LIMIT_MS = (MAX_WAIT_S + 5) * 1000;
const READ_DONE: Parsed<undefined> = { type: 'read', value: undefined };

interface About {
  readonly path: WorkPath;
  readonly query?: string;
  readonly epoch?: number;
}

function ask<T>(
  method: Ask<T>['method'],
  { path, query = '', epoch }: About,
  more: Partial<Ask<T>> & Pick<Ask<T>, 'read'>,
): Ask<T> {
  const headers = epoch === undefined ? {} : { [EPOCH_HEADER]: String(epoch) };
  const base = { body: [], maxBytes: MAX_TEXT_BYTES, limitMs: SMALL_LIMIT_MS };
  return { method, path: `${workPath(path)}${query}`, headers, ...base, ...more };
}

export function helloAsk(hello: WorkerHello): Ask<WorkerTerms> {
  const body = [Buffer.from(encodeHello(hello))];
  return ask('POST', { path: { type: 'hello' } }, { body, read: (answer) => parseTerms(textOf(answer)) });
}

/** Says which runs the worker has. */
export function beatAsk(worker: string, held: readonly HeldRun[], limitMs: number): Ask<readonly RunToEnd[]> {
  const body = [Buffer.from(encodeBeat(held))];
  const more = { body, limitMs, maxBytes: MAX_ENDS_BYTES };
  return ask('POST', { path: { type: 'beat', worker } }, { ...more, read: (answer) => parseEnds(textOf(answer)) });
}

export function endsAsk(worker: string): Ask<readonly RunToEnd[]> {
  const more = { limitMs: HELD_LIMIT_MS, maxBytes: MAX_ENDS_BYTES };
  const about: About = { path: { type: 'ends', worker }, query: `?wait=${MAX_WAIT_S}` };
  return ask('GET', about, { ...more, read: (answer) => parseEnds(textOf(answer)) });
}

/** Runs that were handed out, and when that arrived. */
export interface Handed {
  readonly runs: readonly HandedRun[];
  readonly atMs: number;
}

export function claimAsk(worker: string, free: number): Ask<Handed> {
  const about: About = { path: { type: 'claim', worker }, query: `?free=${free}&wait=${MAX_WAIT_S}` };
  return ask('POST', about, {
    limitMs: HELD_LIMIT_MS,
    maxBytes: MAX_RUNS_BYTES,
    read: ({ body, headAtMs }) => {
      const parsed = parseRuns(Buffer.concat(body));
      return parsed.type === 'wrong' ? parsed : { type: 'read', value: { runs: parsed.value, atMs: headAtMs } };
    },
  });
}

export function leaveAsk(worker: string): Ask<undefined> {
  return ask('DELETE', { path: { type: 'leave', worker } }, { read: () => READ_DONE });
}

/** Asks for the binding contexts, which must be as long as the run says. */
export function contextsAsk(worker: string, { run, epoch }: HandedRun): Ask<readonly Uint8Array[]> {
  const { runId, contextBytes } = run;
  return ask(
    'GET',
    { path: { type: 'contexts', worker, runId }, epoch },
    {
      maxBytes: Math.max(Math.min(contextBytes, MAX_CONTEXT_BYTES), MAX_TEXT_BYTES),
      limitMs: limitFor(contextBytes),
      isLong: true,
      read: ({ body }) => {
        const bytes = sizeOf(body);
        if (bytes === contextBytes) return { type: 'read', value: body };
        return { type: 'wrong', problem: `the contexts: got ${bytes} bytes, expected ${contextBytes}` };
      },
    },
  );
}

/** Sends lines, as they are on the wire. */
export function outputAsk(worker: string, { run: { runId }, epoch }: HandedRun, lines: Uint8Array): Ask<undefined> {
  const more = { body: [lines], isLong: true, read: () => READ_DONE };
  return ask('POST', { path: { type: 'output', worker, runId }, epoch }, more);
}

export function resultAsk(worker: string, { run: { runId }, epoch }: HandedRun, result: RemoteResult): Ask<undefined> {
  const body = encodeResult(result);
  const more = { body, limitMs: limitFor(sizeOf(body)), isLong: true, read: () => READ_DONE };
  return ask('PUT', { path: { type: 'result', worker, runId }, epoch }, more);
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Of a request with a long body, or a long answer. */
function limitFor(bytes: number): number {
  return SMALL_LIMIT_MS + bytes / LEAST_BYTES_PER_MS;
}
