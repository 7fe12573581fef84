/*
 * One admission webhook of a hook: a review comes in, its hook is asked, an answer goes out. The operator makes one for
 * each webhook and serves it at its path. What must hold: every request is answered, and before its caller stops to
 * wait. A hook that denies, fails, or writes what cannot be read denies the request, with a message that names it. When
 * hooklet itself could not ask the hook in time, the answer is an HTTP error, and `failurePolicy` decides.
 */

import type { AdmissionBinding } from '../../hook/ask-binding.ts';
import type { AskTrigger } from '../../hook/trigger.ts';
import { within } from '../../lib/deadline.ts';
import { goDuration } from '../../lib/duration.ts';
import { printable, printableLine } from '../../lib/printable.ts';
import { shownText } from '../../lib/shown.ts';
import { takeRoom, type ReviewRoom } from '../review-room.ts';
import { readReview, type Review } from './review.ts';

/** A request of the API server. */
export interface AdmissionCall {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** How long the caller waits; absent: as long as the webhook says. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

export interface AdmissionReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What the hook said about a request, or why it said nothing. */
export type Verdict =
  | {
      readonly type: 'answered';
      readonly allowed: boolean;
      readonly message: string;
      readonly warnings: readonly string[];
      /** The steps of a JSON Patch. */
      readonly patch: readonly object[];
    }
  /** The hook failed, or what it wrote counts for nothing. */
  | { readonly type: 'failed'; readonly status: 403 | 500; readonly reason: string }
  /** The hook was not asked: too many requests, not ready, or the operator stops. */
  | { readonly type: 'refused'; readonly status: 429 | 503; readonly reason: string };

/** How a request ended. */
export type AdmissionResult = 'allowed' | 'denied' | 'failed' | 'refused' | 'timeout' | 'invalid';

export interface AdmissionEndpointOptions {
  /** The name of the hook. */
  readonly hook: string;
  readonly binding: AdmissionBinding;
  /** Asks the hook; `object` parses that of the request. Ends when `signal` aborts. */
  readonly judge: (trigger: AskTrigger, object: () => unknown, signal: AbortSignal) => Promise<Verdict>;
  readonly room: ReviewRoom;
  readonly onReview?: (review: Review) => void;
  readonly onEnd?: (ended: AdmissionEnded, durationMs: number) => void;
}

/** How a request ended. */
export interface AdmissionEnded {
  readonly result: AdmissionResult;
  /** Absent where the body was none. */
  readonly review?: Review;
  /** Of a hook that gave no answer: what its caller is told. */
  readonly noAnswer?: string;
}

/** Left to the answer to reach its caller. */
const MARGIN_MS = 500;
const MAX_MESSAGE = 8192;
/** A review has two objects at most, each of 3 MiB at most: half of that is their values at most. */
const MAX_VALUES = 4_000_000;

/** Creates the function that answers the requests to one webhook. */
export function createAdmissionEndpoint(
  options: AdmissionEndpointOptions,
): (call: AdmissionCall) => Promise<AdmissionReply> {
  return async (call) => {
    const startedAt = performance.now();
    const { reply, ...ended } = await answer(call, options);
    options.onEnd?.(ended, performance.now() - startedAt);
    return reply;
  };
}

interface Ended extends AdmissionEnded {
  readonly reply: AdmissionReply;
}

async function answer(call: AdmissionCall, options: AdmissionEndpointOptions): Promise<Ended> {
  const taken = takeRoom(call.body, MAX_VALUES, options.room);
  if (typeof taken === 'function') return answerToReview(call, options).finally(taken);
  const { status, message } = taken;
  return { result: status === 413 ? 'invalid' : 'refused', reply: plain(status, message) };
}

async function answerToReview(call: AdmissionCall, options: AdmissionEndpointOptions): Promise<Ended> {
  const review = readReview(call.body, call.contentType);
  if ('status' in review) return { result: 'invalid', reply: plain(review.status, review.text) };
  options.onReview?.(review);
  const verdict = await judged(review, call, options);
  const who = `hook ${options.hook}, ${options.binding.type} ${options.binding.name}`;
  switch (verdict.type) {
    case 'answered':
      try {
        return { result: verdict.allowed ? 'allowed' : 'denied', reply: reply(review, verdict) };
      } catch {
        return failed(review, 403, `${who}: its patch is nested too deeply`);
      }
    case 'failed':
      return failed(review, verdict.status, `${who}: ${verdict.reason}`);
    case 'refused':
      return { result: 'refused', reply: plain(verdict.status, `${who}: ${verdict.reason}`) };
    case 'late':
      // Of a 504 the API server shows no text.
      return { result: 'timeout', reply: plain(500, `${who}: no answer within ${goDuration(verdict.limitMs)}`) };
  }
}

function failed(review: Review, code: number, reason: string): Ended {
  const message = shownText(`Hook failed: ${reason}`, MAX_MESSAGE);
  const reply = written(review, { allowed: false, status: { code, message } });
  return { result: 'failed', review, reply, ...(code === 500 && { noAnswer: message }) };
}

interface Late {
  readonly type: 'late';
  readonly limitMs: number;
}

async function judged(
  { request, object, isDryRun, about }: Review,
  { timeoutMs, signal }: AdmissionCall,
  { binding, judge }: AdmissionEndpointOptions,
): Promise<Verdict | Late> {
  const limitMs = limitOf(timeoutMs ?? binding.timeoutSeconds * 1000);
  const trigger: AskTrigger = {
    type: 'ask',
    binding,
    contextType: binding.type === 'kubernetesValidating' ? 'Validating' : 'Mutating',
    members: { review: `{"request":${request}}` },
    isDryRun,
    about,
  };
  const overtime = new AbortController();
  const asked = judge(trigger, object, AbortSignal.any([signal, overtime.signal]));
  return within<Verdict | Late>(asked, {
    limitMs,
    late: () => {
      overtime.abort(new Error(`no answer within ${goDuration(limitMs)}`));
      return { type: 'late', limitMs };
    },
  });
}

/** Shorter than the caller waits. */
function limitOf(timeoutMs: number): number {
  return Math.max(timeoutMs - MARGIN_MS, timeoutMs / 2);
}

function reply(review: Review, verdict: Extract<Verdict, { readonly type: 'answered' }>): AdmissionReply {
  const { allowed, message, warnings, patch } = verdict;
  const isPatched = allowed && patch.length > 0;
  return written(review, {
    allowed,
    // Printed by kubectl as they are; what the hook repeats may come from somebody else's object.
    ...(!allowed && { status: { code: 403, message: printable(message) } }),
    ...(isPatched && {
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
      patchType: 'JSONPatch',
    }),
    ...(warnings.length > 0 && { warnings: warnings.map(printableLine) }),
  });
}

function written({ apiVersion, uid }: Review, response: object): AdmissionReply {
  const body = JSON.stringify({ apiVersion, kind: 'AdmissionReview', response: { uid, ...response } });
  return { status: 200, type: 'application/json', body: `${body}\n` };
}

function plain(status: number, text: string): AdmissionReply {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}
