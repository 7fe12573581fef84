import type { JobClaim } from '../../hook/job-desk.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import { EPOCH_HEADER } from '../../hook/remote-wire.ts';
import { encodeResult } from '../../hook/result-wire.ts';
import { jobPath, MAX_FATE_WAIT_S, parseClaim, parseFate, type JobWhat } from '../../hook/job-wire.ts';
import type { Parsed } from '../../lib/members.ts';
import { textOf, type Ask } from '../agent/reach.ts';

/** Something to ask about the run. */
export interface JobAsk<T> extends Omit<Ask<T>, 'path' | 'headers'> {
  readonly what: JobWhat;
  readonly query?: string;
}

/** What is asked about the run of a Job; `epoch` is that of the claim, absent for a claim itself. */
export function askOf<T>(job: string, { what, query = '', ...ask }: JobAsk<T>, epoch?: number): Ask<T> {
  const headers = epoch === undefined ? {} : { [EPOCH_HEADER]: String(epoch) };
  return { ...ask, path: `${jobPath(job, what)}${query}`, headers };
}

const MAX_TEXT_BYTES = 256 * 1024;
const SMALL = { body: [], maxBytes: MAX_TEXT_BYTES, limitMs: 35_000 };
const MIB = 1024 * 1024;
/** Half a MiB a second: what a network must bring about. */
const LEAST_BYTES_PER_MS = 512;
/** Far above what binding contexts have. */
const MAX_CONTEXT_BYTES = 1024 * MIB;
const READ_DONE: Parsed<undefined> = { type: 'read', value: undefined };

export const CLAIM: JobAsk<JobClaim> = {
  ...SMALL,
  method: 'POST',
  what: 'claim',
  read: (answer) => parseClaim(textOf(answer)),
};

export const FATE: JobAsk<'waiting' | 'ended'> = {
  ...SMALL,
  method: 'GET',
  what: 'fate',
  query: `?wait=${MAX_FATE_WAIT_S}`,
  limitMs: (MAX_FATE_WAIT_S + 15) * 1000,
  read: (answer) => parseFate(textOf(answer)),
};

/** Asks whether this Pod has the run still, without waiting. */
export const STANDING: JobAsk<'waiting' | 'ended'> = { ...FATE, query: '?wait=0', limitMs: SMALL.limitMs };

/** Asks for the binding contexts, which must be as long as the claim says. */
export function contextsAsk({ contextBytes }: JobClaim): JobAsk<readonly Uint8Array[]> {
  const maxBytes = Math.max(Math.min(contextBytes, MAX_CONTEXT_BYTES), MAX_TEXT_BYTES);
  return {
    method: 'GET',
    what: 'contexts',
    body: [],
    maxBytes,
    limitMs: limitFor(contextBytes),
    read: ({ body }) => {
      const bytes = body.reduce((sum, { length }) => sum + length, 0);
      if (bytes === contextBytes) return { type: 'read', value: body };
      return { type: 'wrong', problem: `the contexts: got ${bytes} bytes, expected ${contextBytes}` };
    },
  };
}

/** Sends lines, as they are on the wire; without any it only says that the Pod is there. */
export function outputAsk(lines: Uint8Array): JobAsk<undefined> {
  return { ...SMALL, method: 'POST', what: 'output', body: [lines], read: () => READ_DONE };
}

export function resultAsk(result: RemoteResult): JobAsk<undefined> {
  const body = encodeResult(result);
  const bytes = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return {
    method: 'PUT',
    what: 'result',
    body,
    maxBytes: MAX_TEXT_BYTES,
    limitMs: limitFor(bytes),
    read: () => READ_DONE,
  };
}

/** Of a request with a long body, or a long answer; a small one must not wait that long for a replica that hangs. */
function limitFor(bytes: number): number {
  return SMALL.limitMs + bytes / LEAST_BYTES_PER_MS;
}
