/*
 * What a worker can ask, and the room for it. 500 workers have places for all that they ask at once: two requests that
 * are held, a beat beside an earlier one whose connection is gone, and lines and a result of each of their runs. What has
 * a body has its place from before it is read, by its length, or by the longest one where the request does not say it.
 */

import type { DeskCaller } from '../../hook/remote-run.ts';
import { MAX_OUTPUT_BYTES } from '../../hook/remote-wire.ts';
import { MAX_RESULT_BODY_BYTES } from '../../hook/result-wire.ts';
import { MAX_CAPACITY, type WorkDesk, type WorkerTicket, type WorkTicket } from '../../hook/work-desk.ts';
import { MAX_WAIT_S, parseFree, parseWait } from '../../hook/work-path.ts';
import {
  encodeEnds,
  encodeRuns,
  encodeTerms,
  MAX_BEAT_BYTES,
  MAX_HELLO_BYTES,
  parseBeat,
  parseHello,
} from '../../hook/work-wire.ts';
import type { HttpAnswer } from '../answering.ts';
import { SourceSlots } from '../source-slots.ts';
import { badAnswer, deskAnswer, DONE, doneAnswer, jsonAnswer, piecesAnswer } from './answers.ts';
import type { Endpoint } from './endpoint.ts';
import { outputAnswer, resultAnswer } from './run-answers.ts';

export interface WorkEndpoints {
  readonly hello: Endpoint<{ readonly caller: DeskCaller }>;
  readonly ofWorker: Readonly<Record<'beat' | 'ends' | 'claim' | 'leave', Endpoint<WorkerTicket>>>;
  readonly ofRun: Readonly<Record<'contexts' | 'output' | 'result', Endpoint<WorkTicket>>>;
}

const MIB = 1024 * 1024;
const SMALL = { maxRequests: 2000, maxOfSource: 4, maxBytes: 32 * MIB };
const HELD = { maxRequests: 2000, maxOfSource: 4 };
const CONTEXTS = { maxRequests: 2000, maxOfSource: MAX_CAPACITY };
const OUTPUTS = { maxRequests: 2000, maxOfSource: MAX_CAPACITY, maxBytes: 32 * MIB, maxBytesOfSource: 8 * MIB };

/** Of all bodies but results together: what their slots allow. */
export const MAX_WORK_BYTES = SMALL.maxBytes + OUTPUTS.maxBytes;

/** What a worker can ask, answered by the desk; `results` are the slots of results. */
export function workEndpoints(desk: WorkDesk, results: SourceSlots): WorkEndpoints {
  const small = { answerLimitMs: 35_000, slots: new SourceSlots(SMALL) };
  return {
    hello: {
      ...small,
      method: 'POST',
      maxBodyBytes: MAX_HELLO_BYTES,
      answer: async ({ caller }, { body }) => {
        const hello = parseHello(body.toString('utf8'));
        if (hello.type === 'wrong') return badAnswer(400, hello.problem);
        return deskAnswer(desk.hello(hello.value, caller), (terms) => jsonAnswer(encodeTerms(terms)));
      },
    },
    ofWorker: {
      ...polls(desk),
      beat: {
        ...small,
        method: 'POST',
        maxBodyBytes: MAX_BEAT_BYTES,
        answer: async (ticket, { body }) => {
          const held = parseBeat(body.toString('utf8'));
          if (held.type === 'wrong') return badAnswer(400, held.problem);
          return deskAnswer(desk.beat(ticket, held.value), (ends) => jsonAnswer(encodeEnds(ends)));
        },
      },
      leave: { ...small, method: 'DELETE', answer: async (ticket) => doneAnswer(desk.leave(ticket)) },
    },
    ofRun: ofRun(desk, results),
  };
}

function polls(desk: WorkDesk): Pick<WorkEndpoints['ofWorker'], 'ends' | 'claim'> {
  const answerLimitMs = (MAX_WAIT_S + 10) * 1000;
  return {
    ends: {
      method: 'GET',
      answerLimitMs,
      slots: new SourceSlots(HELD),
      answer: async (ticket, { query, signal }) => {
        const wait = parseWait(query);
        if (wait.type === 'wrong') return badAnswer(400, wait.problem);
        const ends = await desk.ends(ticket, { waitMs: wait.value, signal });
        return deskAnswer(ends, (value) => jsonAnswer(encodeEnds(value)));
      },
    },
    claim: {
      method: 'POST',
      // With the time for the contexts.
      answerLimitMs: answerLimitMs + 30_000,
      slots: new SourceSlots(HELD),
      answer: async (ticket, { query, signal }) => {
        const [free, wait] = [parseFree(query), parseWait(query)];
        if (free.type === 'wrong') return badAnswer(400, free.problem);
        if (wait.type === 'wrong') return badAnswer(400, wait.problem);
        const runs = await desk.claim(ticket, free.value, { waitMs: wait.value, signal });
        return deskAnswer(runs, (value) => piecesAnswer(encodeRuns(value)));
      },
    },
  };
}

function ofRun(desk: WorkDesk, results: SourceSlots): WorkEndpoints['ofRun'] {
  // With the time for the body.
  const bodied = { answerLimitMs: 140_000, refuse: (ticket: WorkTicket) => refusedBy(desk, ticket) };
  return {
    contexts: {
      method: 'GET',
      // 100 MB at a third of a MiB a second.
      answerLimitMs: 300_000,
      slots: new SourceSlots(CONTEXTS),
      answer: async (ticket) => deskAnswer(desk.contexts(ticket), piecesAnswer),
    },
    output: {
      ...bodied,
      method: 'POST',
      maxBodyBytes: MAX_OUTPUT_BYTES,
      slots: new SourceSlots(OUTPUTS),
      answer: async (ticket, { body }) => outputAnswer(body, (lines) => desk.output(ticket, lines)),
    },
    result: {
      ...bodied,
      method: 'PUT',
      maxBodyBytes: MAX_RESULT_BODY_BYTES,
      slots: results,
      answer: async (ticket, { body }) => resultAnswer(body, (result) => desk.result(ticket, result)),
    },
  };
}

/** Refuses a worker that has not the run. */
function refusedBy(desk: WorkDesk, ticket: WorkTicket): HttpAnswer | undefined {
  const answer = desk.holds(ticket);
  return answer.type === 'ok' ? undefined : deskAnswer(answer, () => DONE);
}
