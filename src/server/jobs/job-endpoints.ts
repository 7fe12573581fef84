import type { JobDesk, JobTicket } from '../../hook/job-desk.ts';
import { MAX_RESULT_BODY_BYTES } from '../../hook/result-wire.ts';
import { encodeClaim, encodeFate, MAX_FATE_WAIT_S, parseFateWait, type JobWhat } from '../../hook/job-wire.ts';
import { MAX_OUTPUT_BYTES } from '../../hook/remote-wire.ts';
import type { HttpAnswer } from '../answering.ts';
import { SourceSlots } from '../source-slots.ts';
import { badAnswer, deskAnswer, DONE, jsonAnswer, piecesAnswer } from './answers.ts';
import type { Endpoint } from './endpoint.ts';
import { outputAnswer, resultAnswer } from './run-answers.ts';

/** How things are asked about a run; everything but a claim is by who has a ticket. */
export interface JobEndpoints {
  readonly claim: Endpoint<Omit<JobTicket, 'epoch'>>;
  readonly run: Readonly<Record<Exclude<JobWhat, 'claim'>, Endpoint<JobTicket>>>;
}

const MIB = 1024 * 1024;
const FATES = { maxRequests: 500, maxOfSource: 4 };
const OTHERS = { maxRequests: 200, maxOfSource: 8, maxBytes: 32 * MIB };

/** Of all bodies but results together: what their slots allow. */
export const MAX_JOB_BYTES = OTHERS.maxBytes;

/** What the Pod of a Job can ask, answered by the desk; `results` are the slots of results. */
export function jobEndpoints(desk: JobDesk, results: SourceSlots): JobEndpoints {
  const others = { answerLimitMs: 35_000, slots: new SourceSlots(OTHERS) };
  // With the time for the body.
  const bodied = { answerLimitMs: 140_000, refuse: refusedBy(desk) };
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
        ...bodied,
        method: 'POST',
        maxBodyBytes: MAX_OUTPUT_BYTES,
        answer: async (ticket, { body }) => outputAnswer(body, (lines) => desk.output(ticket, lines)),
      },
      result: {
        ...bodied,
        method: 'PUT',
        maxBodyBytes: MAX_RESULT_BODY_BYTES,
        slots: results,
        answer: async (ticket, { body }) => resultAnswer(body, (result) => desk.result(ticket, result)),
      },
      fate: {
        method: 'GET',
        answerLimitMs: (MAX_FATE_WAIT_S + 10) * 1000,
        slots: new SourceSlots(FATES),
        answer: async (ticket, { query, signal }) => {
          const wait = parseFateWait(query.get('wait'));
          if (wait.type === 'wrong') return badAnswer(400, wait.problem);
          return deskAnswer(await desk.fate(ticket, wait.value, signal), (fate) => jsonAnswer(encodeFate(fate)));
        },
      },
    },
  };
}

/** Refuses a Pod that has not the run. One that has ended may still get its result, which the desk has taken before. */
function refusedBy(desk: JobDesk) {
  return async (ticket: JobTicket, signal: AbortSignal): Promise<HttpAnswer | undefined> => {
    const answer = await desk.fate(ticket, 0, signal);
    return answer.type === 'ok' || answer.status === 410 ? undefined : deskAnswer(answer, () => DONE);
  };
}
