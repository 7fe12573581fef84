import type { JobDesk, JobTicket } from '../../hook/job-desk.ts';
import { EPOCH_HEADER, parseEpoch, parseJobPath } from '../../hook/job-wire.ts';
import { shown } from '../../lib/shown.ts';
import type { Logger } from '../../log.ts';
import type { HttpAnswer, HttpRoute, RequestHead } from '../answering.ts';
import { answering, deskAnswer, DONE, NO_SLOTS, textAnswer, unavailable } from './answers.ts';
import { openCallers, tokenIn, UNKNOWN_CALLER, type Callers, type Identify } from './callers.ts';
import { endpointsOf, type Endpoint } from './endpoints.ts';

export interface JobRoutesOptions {
  readonly desk: JobDesk;
  readonly identify: Identify;
  readonly refusal?: () => string | undefined;
  readonly log: Logger;
}

type Caller = JobTicket['caller'];

/** A request whose head is right: what is left is who asks. */
interface Checked<Ticket> {
  readonly endpoint: Endpoint<Ticket>;
  readonly ticketOf: (caller: Caller) => Ticket;
  /** Answers before the body is read, where that is of no use. */
  readonly refuse?: (ticket: Ticket, signal: AbortSignal) => Promise<HttpAnswer | undefined>;
}

/** The routes of the server of Jobs. */
export function jobRoutes({ desk, identify, refusal, log }: JobRoutesOptions): (head: RequestHead) => HttpRoute {
  const callers = openCallers(identify, log);
  const { claim, run } = endpointsOf(desk);
  return (head) => {
    if (head.path === '/healthz') return HEALTHZ;
    // Before any token is reviewed: a standby does nothing for who asks it.
    const why = refusal?.();
    if (why !== undefined) return answering(unavailable(why));
    const asked = parseJobPath(head.path);
    if (asked === undefined) return answering(NOWHERE);
    const { job, what } = asked;
    if (what === 'claim') return routeOf(head, callers, { endpoint: claim, ticketOf: (caller) => ({ job, caller }) });
    const epoch = parseEpoch(head.headers[EPOCH_HEADER]);
    if (epoch === undefined) return answering(badEpoch(head));
    const ticketOf = (caller: Caller): JobTicket => ({ job, caller, epoch });
    const refuse = async (ticket: JobTicket, signal: AbortSignal) => refusedByDesk(desk, ticket, signal);
    const endpoint = run[what];
    return routeOf(head, callers, { endpoint, ticketOf, ...(endpoint.maxBodyBytes !== undefined && { refuse }) });
  };
}

const HEALTHZ: HttpRoute = { isAlwaysAnswered: true, handle: () => DONE };
const NOWHERE = textAnswer(404, 'hooklet: nothing is here, expected /v1/jobs/<name of a Job>/<what is asked>');

function badEpoch({ headers }: RequestHead): HttpAnswer {
  const got = headers[EPOCH_HEADER];
  const received = got === undefined ? 'nothing' : shown(got);
  return textAnswer(400, `hooklet: the header Hooklet-Epoch: got ${received}, expected the epoch of the claim`);
}

function routeOf<Ticket>(
  { method, headers }: RequestHead,
  callers: Callers,
  { endpoint, ticketOf, refuse }: Checked<Ticket>,
): HttpRoute {
  if (method !== endpoint.method) {
    return answering(
      textAnswer(405, `hooklet: got ${method}, expected ${endpoint.method}`, { allow: endpoint.method }),
    );
  }
  const token = tokenIn(headers.authorization);
  if (token === undefined) return answering(UNKNOWN_CALLER);
  const { answerLimitMs, maxBodyBytes = 0, slots } = endpoint;
  return {
    answerLimitMs,
    slots: NO_SLOTS,
    admit: async ({ source }, signal) => {
      const identified = await callers.of(token, source, signal);
      if (identified.type === 'refused') return answering(identified.answer);
      const { caller } = identified;
      const ticket = ticketOf(caller);
      const refused = await refuse?.(ticket, signal);
      if (refused !== undefined) return answering(refused);
      return {
        maxBodyBytes,
        slots: { take: (bytes) => slots.take(caller.podUid, bytes) },
        handle: async (request) => endpoint.answer(ticket, request),
      };
    },
    handle: () => UNKNOWN_CALLER,
  };
}

/**
 * Whether a Pod has the run, before its body takes room: anybody in the cluster can have a token for hooklet. A run that
 * has ended may still get its result, which the desk has taken before.
 */
async function refusedByDesk(desk: JobDesk, ticket: JobTicket, signal: AbortSignal): Promise<HttpAnswer | undefined> {
  const answer = await desk.fate(ticket, 0, signal);
  return answer.type === 'ok' || answer.status === 410 ? undefined : deskAnswer(answer, () => DONE);
}
