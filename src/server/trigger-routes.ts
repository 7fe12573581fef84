import type { HttpAnswer, HttpRequest, HttpRoute, RequestHead } from './answering.ts';
import { RequestSlots } from './request-slots.ts';
import { SourceSlots } from './source-slots.ts';

/** Takes the requests that trigger hooks. */
export interface TriggerDoor {
  /** Decides by the head of a request, before its body is read, whether it may go on. */
  readonly admit: (head: TriggerHead) => Promise<TriggerAdmission>;
}

/** A request whose body has not been read. */
export interface TriggerHead extends RequestHead {
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** What becomes of a request whose head is known. */
export type TriggerAdmission =
  | { readonly type: 'refused'; readonly reply: TriggerReply }
  /** Its caller is known. */
  | { readonly type: 'known'; readonly maxBodyBytes: number; readonly take: TakeRequest }
  /** Its body shows who the caller is; `verify` resolves to why it is refused, or to what takes it. */
  | { readonly type: 'signed'; readonly maxBodyBytes: number; readonly verify: VerifyRequest };

export type TakeRequest = (request: HttpRequest) => Promise<TriggerReply>;
export type VerifyRequest = (request: HttpRequest) => Promise<TriggerReply | TakeRequest>;

/** A JSON document for the caller. */
export interface TriggerReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How many known callers a server has at once, those that wait for the end of a run included. */
export const MAX_TRIGGERS_AT_ONCE = 100;
/** The limits of their bodies. */
export const TRIGGER_BODIES = { maxBytes: 8 * 1024 * 1024, limitMs: 10_000 };

const PATH = '/trigger/';
const MAX_BYTES_AT_ONCE = 64 * 1024 * 1024;
/** Of requests whose signature is not checked yet. */
const UNPROVEN = { maxRequests: 50, maxBytes: MAX_BYTES_AT_ONCE / 2, maxOfSource: 25 };
/** The body, two reviews by the API server, and the longest wait for the end of a run. */
const ANSWER_LIMIT_MS = 100_000;
const BUSY: TriggerReply = {
  status: 503,
  body: { error: 'too many requests at once' },
  headers: { 'retry-after': '1' },
};

/**
 * The routes below `/trigger/` of one server; undefined for other paths. They have limits of their own, so that
 * callers who wait take no place of a probe or of a webhook. Requests whose caller is not yet authenticated have separate
 * limits, so that they cannot use up those of authenticated callers. With a token, the body is read only after the token
 * was accepted; a signature can be checked only with the body.
 */
export function triggerRoutes(door: TriggerDoor): (head: RequestHead) => HttpRoute | undefined {
  const known = new RequestSlots({ maxRequests: MAX_TRIGGERS_AT_ONCE, maxBytes: MAX_BYTES_AT_ONCE });
  const unproven = new SourceSlots(UNPROVEN);
  return ({ path }) => {
    if (!path.startsWith(PATH)) return undefined;
    return {
      answerLimitMs: ANSWER_LIMIT_MS,
      slots: NO_SLOTS,
      admit: async (head, signal) => {
        const admission = await door.admit({ ...head, signal });
        if (admission.type === 'refused') return refusing(admission.reply);
        const { maxBodyBytes } = admission;
        if (admission.type === 'signed') return signedRoute(admission, head.source, { known, unproven });
        return { maxBodyBytes, slots: known, handle: async (request) => answerOf(await admission.take(request)) };
      },
      handle: () => answerOf(BUSY),
    };
  };
}

/** A request is counted as unproven until its signature is checked, and then as one of a known caller. */
function signedRoute(
  { maxBodyBytes, verify }: Extract<TriggerAdmission, { readonly type: 'signed' }>,
  source: string,
  { known, unproven }: { readonly known: RequestSlots; readonly unproven: SourceSlots },
): HttpRoute {
  let prove: (() => void) | undefined;
  return {
    maxBodyBytes,
    slots: { take: (bytes) => (prove = unproven.take(source, bytes)) },
    handle: async (request) => {
      const verified = await verify(request);
      if (typeof verified !== 'function') return answerOf(verified);
      const leave = known.take(request.body.length);
      if (leave === undefined) return answerOf(BUSY);
      prove?.();
      try {
        return answerOf(await verified(request));
      } finally {
        leave();
      }
    },
  };
}

const NO_SLOTS: Pick<RequestSlots, 'take'> = { take: () => () => {} };

function refusing(reply: TriggerReply): HttpRoute {
  return { slots: NO_SLOTS, handle: () => answerOf(reply) };
}

function answerOf({ status, body, headers }: TriggerReply): HttpAnswer {
  return {
    status,
    type: 'application/json; charset=utf-8',
    body: `${JSON.stringify(body)}\n`,
    headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers },
  };
}
