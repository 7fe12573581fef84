import { hash as hashOf } from 'node:crypto';
import { within } from '../../lib/deadline.ts';
import type { DeskCaller } from '../../hook/remote-run.ts';
import { MAX_CAPACITY } from '../../hook/work-desk.ts';
import type { Logger } from '../../log.ts';
import type { HttpAnswer } from '../answering.ts';
import { SourceSlots } from '../source-slots.ts';
import { textAnswer, unavailable } from './answers.ts';

/** Finds out whose a token is. */
export type Identify = (token: string, signal: AbortSignal) => Promise<DeskCaller | undefined>;

/** Who asks, or the answer to who may not. */
export type Identified =
  | { readonly type: 'known'; readonly caller: DeskCaller }
  | { readonly type: 'refused'; readonly answer: HttpAnswer };

export interface Callers {
  /** Identifies who has a token and is at a source, before anything of the body is read. */
  readonly of: (token: string, source: string, signal: AbortSignal) => Promise<Identified>;
}

const BEARER = /^Bearer +([\x21-\x7e]{1,8192})$/i;
const IDENTIFY_LIMIT_MS = 15_000;
/** Of those whose tokens were never accepted: of one client no more than a quarter. */
const UNKNOWN = { maxRequests: 100, maxOfSource: 25 };
/** Beside that, of those at whose source a token was, as the next one of a Pod is. */
const RENEWED = { maxRequests: 200, maxOfSource: 8 };
/** Of those whose tokens were: the requests of each run of a worker wait together while its token is reviewed again. */
const KNOWN = { maxRequests: 4000, maxOfSource: 2 * MAX_CAPACITY };
const MAX_REMEMBERED = 5000;

/** The token in a header; undefined where there is none. */
export function tokenIn(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

/** The answer to who has no token that is known. */
export const UNKNOWN_CALLER: HttpAnswer = textAnswer(
  401,
  'hooklet: the header Authorization has no token of a Pod that is known here, expected Bearer and a token with the audience hooklet',
  { 'www-authenticate': 'Bearer' },
);

/**
 * Identifies callers. Each token is identified for each request, and a token that was accepted before waits beside those
 * that never were, as does another one from the same client: who floods the port with others keeps no Pod from being
 * answered.
 */
export function openCallers(identify: Identify, log: Logger): Callers {
  const unknown = new SourceSlots(UNKNOWN);
  const known = new SourceSlots(KNOWN);
  const renewed = new SourceSlots(RENEWED);
  const accepted = new Set<string>();
  const sources = new Set<string>();
  const place = (hash: string, source: string): (() => void) | undefined => {
    if (accepted.has(hash)) return known.take(hash, 0);
    return (sources.has(source) ? renewed.take(source, 0) : undefined) ?? unknown.take(source, 0);
  };
  return {
    of: async (token, source, signal) => {
      const hash = hashOf('sha256', token, 'base64');
      const leave = place(hash, source);
      if (leave === undefined) return refused(unavailable('too many requests at once'));
      try {
        const caller = await within(identify(token, signal), { limitMs: IDENTIFY_LIMIT_MS, late, signal });
        if (caller === undefined) {
          accepted.delete(hash);
          return refused(UNKNOWN_CALLER);
        }
        remember(accepted, hash);
        remember(sources, source);
        return { type: 'known', caller };
      } catch (error) {
        if (signal.aborted) throw error;
        log.warn({ err: error }, 'token of a Pod could not be reviewed');
        return refused(unavailable('whose the token is could not be found out now'));
      } finally {
        leave();
      }
    },
  };
}

function late(): never {
  throw new Error(`the token was not reviewed within ${IDENTIFY_LIMIT_MS / 1000} s`);
}

/** Adds to the end, and forgets what was added longest ago. */
function remember(accepted: Set<string>, one: string): void {
  accepted.delete(one);
  accepted.add(one);
  if (accepted.size <= MAX_REMEMBERED) return;
  const [oldest] = accepted;
  if (oldest !== undefined) accepted.delete(oldest);
}

function refused(answer: HttpAnswer): Identified {
  return { type: 'refused', answer };
}
