import type { JobDesk, JobTicket } from '../../hook/job-desk.ts';
import type { DeskAnswer } from '../../hook/remote-run.ts';
import { MAX_RESULT_BODY_BYTES, parseResult } from '../../hook/result-wire.ts';
import { encodeClaim, encodeFate, MAX_FATE_WAIT_S, parseFateWait, type JobWhat } from '../../hook/job-wire.ts';
import { MAX_OUTPUT_BYTES, parseLines } from '../../hook/remote-wire.ts';
import type { HttpAnswer, HttpRequest } from '../answering.ts';
import { SourceSlots } from '../source-slots.ts';
import { deskAnswer, DONE, jsonAnswer, piecesAnswer, textAnswer } from './answers.ts';

/** How one thing is asked about a run; everything but a claim is by who has a ticket. */
export interface Endpoint<Ticket> {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly answerLimitMs: number;
  /** Default 0: no body is read. */
  readonly maxBodyBytes?: number;
  /** By the Pod that asks; of one Pod alone there are never many. */
  readonly slots: SourceSlots;
  readonly answer: (ticket: Ticket, request: HttpRequest) => Promise<HttpAnswer>;
}

export interface Endpoints {
  readonly claim: Endpoint<Omit<JobTicket, 'epoch'>>;
  readonly run: Readonly<Record<Exclude<JobWhat, 'claim'>, Endpoint<JobTicket>>>;
}

const MIB = 1024 * 1024;
const RESULTS = { maxRequests: 32, maxOfSource: 1, maxBytes: 3 * MAX_RESULT_BODY_BYTES };
const FATES = { maxRequests: 500, maxOfSource: 4 };
const OTHERS = { maxRequests: 200, maxOfSource: 8, maxBytes: 32 * MIB };

/** Of all bodies together: what their slots allow. */
export const MAX_BYTES_AT_ONCE = RESULTS.maxBytes + OTHERS.maxBytes;

/** What can be asked, answered by the desk. */
export function endpointsOf(desk: JobDesk): Endpoints {
  const others = { answerLimitMs: 35_000, slots: new SourceSlots(OTHERS) };
  return {
    claim: {
      ...others,
      method: 'POST',
      answer: async ({ job, caller }, { signal }) =>
        deskAnswer(await desk.claim(job, caller, signal), (claim) => jsonAnswer(encodeClaim(claim))),
    },
    run: {
      contexts: {
        ...others,
        method: 'GET',
        // 100 MB at a third of a MiB a second.
        answerLimitMs: 300_000,
        answer: async (ticket) => deskAnswer(desk.contexts(ticket), piecesAnswer),
      },
      output: {
        ...others,
        method: 'POST',
        // With the time for the body.
        answerLimitMs: 140_000,
        maxBodyBytes: MAX_OUTPUT_BYTES,
        answer: async (ticket, { body }) => {
          const lines = parseLines(body.toString('utf8'));
          return lines.type === 'wrong' ? bad(400, lines.problem) : doneOr(desk.output(ticket, lines.value));
        },
      },
      result: {
        method: 'PUT',
        answerLimitMs: 140_000,
        maxBodyBytes: MAX_RESULT_BODY_BYTES,
        slots: new SourceSlots(RESULTS),
        answer: async (ticket, { body }) => {
          const result = parseResult(body);
          if (result.type === 'wrong') return bad(result.status, result.problem);
          return doneOr(desk.result(ticket, result.value));
        },
      },
      fate: {
        method: 'GET',
        answerLimitMs: (MAX_FATE_WAIT_S + 10) * 1000,
        slots: new SourceSlots(FATES),
        answer: async (ticket, { query, signal }) => {
          const wait = parseFateWait(query.get('wait'));
          if (wait.type === 'wrong') return bad(400, wait.problem);
          return deskAnswer(await desk.fate(ticket, wait.value, signal), (fate) => jsonAnswer(encodeFate(fate)));
        },
      },
    },
  };
}

function doneOr(answer: DeskAnswer<undefined>): HttpAnswer {
  return deskAnswer(answer, () => DONE);
}

function bad(status: 400 | 413, problem: string): HttpAnswer {
  return textAnswer(status, `hooklet: ${problem}`);
}
