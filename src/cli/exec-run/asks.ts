import type { JobClaim } from '../../hook/job-desk.ts';
import type { RemoteResult } from '../../hook/remote-run.ts';
import { encodeResult } from '../../hook/result-wire.ts';
import { MAX_FATE_WAIT_S, parseClaim, parseFate, type JobWhat } from '../../hook/job-wire.ts';
import type { Parsed } from '../../lib/members.ts';
import type { Answer } from './exchange.ts';

/** Something to ask the operator about the run, with what its answer means. */
export interface Ask<T> {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly what: JobWhat;
  readonly query?: string;
  readonly body: readonly Uint8Array[];
  readonly maxBytes: number;
  readonly limitMs: number;
  /** Reads an answer with the status 200. */
  readonly read: (answer: Answer) => Parsed<T>;
}

const MAX_TEXT_BYTES = 256 * 1024;
const SMALL = { body: [], maxBytes: MAX_TEXT_BYTES, limitMs: 35_000 };
const MIB = 1024 * 1024;
/** Half a MiB a second: what a network must bring about. */
const LEAST_BYTES_PER_MS = 512;
/** Far above what binding contexts have. */
const MAX_CONTEXT_BYTES = 1024 * MIB;
const READ_DONE: Parsed<undefined> = { type: 'read', value: undefined };

export const CLAIM: Ask<JobClaim> = {
  ...SMALL,
  method: 'POST',
  what: 'claim',
  read: (answer) => parseClaim(textOf(answer)),
};

export const FATE: Ask<'waiting' | 'ended'> = {
  ...SMALL,
  method: 'GET',
  what: 'fate',
  query: `?wait=${MAX_FATE_WAIT_S}`,
  limitMs: (MAX_FATE_WAIT_S + 15) * 1000,
  read: (answer) => parseFate(textOf(answer)),
};

/** Asks whether this Pod has the run still, without waiting. */
export const STANDING: Ask<'waiting' | 'ended'> = { ...FATE, query: '?wait=0', limitMs: SMALL.limitMs };

/** Asks for the binding contexts, which must be as long as the claim says. */
export function contextsAsk({ contextBytes }: JobClaim): Ask<readonly Uint8Array[]> {
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
export function outputAsk(lines: Uint8Array): Ask<undefined> {
  return { ...SMALL, method: 'POST', what: 'output', body: [lines], read: () => READ_DONE };
}

export function resultAsk(result: RemoteResult): Ask<undefined> {
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

/** The body of an answer as text. */
export function textOf({ body }: Answer): string {
  return Buffer.concat(body).toString('utf8');
}
