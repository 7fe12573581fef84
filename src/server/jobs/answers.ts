import type { DeskAnswer } from '../../hook/remote-run.ts';
import type { HttpAnswer, HttpRoute } from '../answering.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** An answer in words, for the log of a Pod. */
export function textAnswer(status: number, text: string, headers: HttpAnswer['headers'] = {}): HttpAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n`, headers: { ...PRIVATE, ...headers } };
}

/** An answer that is JSON. */
export function jsonAnswer(body: string): HttpAnswer {
  return { status: 200, type: JSON_TYPE, body, headers: PRIVATE };
}

/** An answer of JSON that may be long; its pieces are not copied. */
export function piecesAnswer(pieces: readonly Uint8Array[]): HttpAnswer {
  return { status: 200, type: JSON_TYPE, body: '', pieces, headers: PRIVATE };
}

/** What was asked for is done. */
export const DONE: HttpAnswer = textAnswer(200, 'ok');

/** This replica does not answer now: the Pod is to ask again, or another. */
export function unavailable(why: string): HttpAnswer {
  return textAnswer(503, `hooklet: ${why}`, { 'retry-after': '1' });
}

/** The answer of the desk; `of` makes that of its value. */
export function deskAnswer<T>(answer: DeskAnswer<T>, of: (value: T) => HttpAnswer): HttpAnswer {
  if (answer.type === 'ok') return of(answer.value);
  const { status, message } = answer;
  return textAnswer(status, message, status === 503 ? { 'retry-after': '1' } : {});
}

/** The answer of the desk where it has no value. */
export function doneAnswer(answer: DeskAnswer<undefined>): HttpAnswer {
  return deskAnswer(answer, () => DONE);
}

/** What was asked is wrong. */
export function badAnswer(status: 400 | 413, problem: string): HttpAnswer {
  return textAnswer(status, `hooklet: ${problem}`);
}

/** A route that answers at once, whatever the request has. */
export function answering(answer: HttpAnswer): HttpRoute {
  return { slots: NO_SLOTS, handle: () => answer };
}

/** Slots that take no place of others. */
export const NO_SLOTS: NonNullable<HttpRoute['slots']> = { take: () => () => {} };
