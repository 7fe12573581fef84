import type { DeskCaller } from '../../hook/remote-run.ts';
import type { HttpAnswer, HttpRequest, HttpRoute, RequestHead } from '../answering.ts';
import type { SourceSlots } from '../source-slots.ts';
import { answering, NO_SLOTS, textAnswer } from './answers.ts';
import { tokenIn, UNKNOWN_CALLER, type Callers } from './callers.ts';

/** How one thing is asked, by who has a ticket. */
export interface Endpoint<Ticket> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly answerLimitMs: number;
  /** Default 0: no body is read. */
  readonly maxBodyBytes?: number;
  /** By the Pod that asks: none may have the places of others. */
  readonly slots: Pick<SourceSlots, 'take'>;
  /** Answers before the body is read, where that is of no use: anybody in the cluster can have a token for hooklet. */
  readonly refuse?: Check<Ticket>;
  readonly answer: (ticket: Ticket, request: HttpRequest) => Promise<HttpAnswer>;
}

/** The answer to who may not ask; undefined for who may. */
type Check<Ticket> = (ticket: Ticket, signal: AbortSignal) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>;

/** A request whose head is right: what is left is who asks. */
export interface Asked<Ticket> {
  readonly endpoint: Endpoint<Ticket>;
  readonly ticketOf: (caller: DeskCaller) => Ticket;
  /** Asked first; absent: every Pod may ask. */
  readonly mayAsk?: (caller: DeskCaller) => HttpAnswer | undefined;
}

/**
 * The route of a request: it finds out whose the token is, and passes the body on. Who passes a check of what it asks is
 * trusted from then on.
 */
export function routeOf<Ticket>(
  { method, headers }: Pick<RequestHead, 'method' | 'headers'>,
  callers: Callers,
  { endpoint, ticketOf, mayAsk }: Asked<Ticket>,
): HttpRoute {
  const { answerLimitMs, maxBodyBytes = 0, slots, refuse } = endpoint;
  if (method !== endpoint.method) return answering(wrongMethod(method, endpoint.method));
  const token = tokenIn(headers.authorization);
  if (token === undefined) return answering(UNKNOWN_CALLER);
  return {
    answerLimitMs,
    slots: NO_SLOTS,
    admit: async ({ source }, signal) => {
      const identified = await callers.of(token, source, signal);
      if (identified.type === 'refused') return answering(identified.answer);
      const { caller } = identified;
      const ticket = ticketOf(caller);
      const refused = mayAsk?.(caller) ?? (await refuse?.(ticket, signal));
      if (refused !== undefined) return answering(refused);
      return {
        isTrusted: mayAsk !== undefined || refuse !== undefined,
        maxBodyBytes,
        slots: { take: (bytes) => slots.take(caller.podUid, bytes) },
        handle: async (request) => endpoint.answer(ticket, request),
      };
    },
    handle: () => UNKNOWN_CALLER,
  };
}

function wrongMethod(method: string, expected: string): HttpAnswer {
  return textAnswer(405, `hooklet: got ${method}, expected ${expected}`, { allow: expected });
}
