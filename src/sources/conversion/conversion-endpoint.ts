/*
 * The converter of one CustomResourceDefinition: a review comes in, the hooks of the chain are asked one after the other,
 * an answer goes out. What must hold: every request is answered, before its caller stops to wait, with all objects or
 * with the reason why there are none, which the API server shows to its own caller. Only when hooklet itself could not
 * ask a hook is the answer an HTTP error, after which the API server tries again.
 */

import { within } from '../../lib/deadline.ts';
import { goDuration } from '../../lib/duration.ts';
import { shown } from '../../lib/shown.ts';
import { takeRoom, type ReviewRoom } from '../review-room.ts';
import { conversionAnswer, readConversionReview, type ConversionReview } from './conversion-review.ts';
import { convert, type Conversion, type ConversionRequest, type ConvertOptions } from './convert.ts';

/** A request of the API server. */
export interface ConversionCall {
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** How long the caller waits; absent: 30 s, as an API server does. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

export interface ConversionReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** How a request ended. */
export type ConversionResult = 'converted' | 'failed' | 'refused' | 'timeout' | 'invalid';

export interface ConversionEndpointOptions extends Pick<ConvertOptions, 'ask' | 'onChain' | 'hasBroken'> {
  /** The rules of all hooks for this CustomResourceDefinition, as they are now. */
  readonly steps: () => ConvertOptions['steps'];
  readonly room: ReviewRoom;
  readonly onReview?: (request: ConversionRequest) => void;
  readonly onEnd: (ended: ConversionEnded, durationMs: number) => void;
}

/** How a request ended. */
export interface ConversionEnded {
  readonly result: ConversionResult;
  /** Why nothing was converted; empty when all was. */
  readonly message: string;
  /** Of the request; absent where the body was no review. */
  readonly uid?: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** An object of 3 MiB has fewer, and an API server sends one in a review; as many empty objects take 100 MB, parsed in seconds. */
const MAX_VALUES = 2_000_000;
/** Left to the answer to reach its caller: it may be large. */
const MARGIN_MS = 1000;

/** Creates the function that answers the requests to one converter. */
export function createConversionEndpoint(
  options: ConversionEndpointOptions,
): (call: ConversionCall) => Promise<ConversionReply> {
  return async (call) => {
    const startedAt = performance.now();
    const { reply, ...ended } = await answer(call, options);
    options.onEnd(ended, performance.now() - startedAt);
    return reply;
  };
}

interface Ended extends ConversionEnded {
  readonly reply: ConversionReply;
}

async function answer(call: ConversionCall, options: ConversionEndpointOptions): Promise<Ended> {
  const type = call.contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    return invalid(415, `content type ${shown(call.contentType ?? '')}, expected application/json`);
  }
  const taken = takeRoom(call.body, MAX_VALUES, options.room);
  if (typeof taken === 'function') return answerToReview(call, options).finally(taken);
  const { status, message } = taken;
  return status === 413 ? invalid(status, message) : { result: 'refused', message, reply: plain(status, message) };
}

async function answerToReview(call: ConversionCall, options: ConversionEndpointOptions): Promise<Ended> {
  const review = readConversionReview(call.body.toString('utf8'));
  if (review.type === 'refused') return invalid(review.status, review.message);
  const { uid } = review.request;
  options.onReview?.(review.request);
  try {
    return { uid, ...(await converted(review, call, options)) };
  } catch (error) {
    // Of JSON.stringify, which recurses; what is left is shallow.
    if (!(error instanceof RangeError)) throw error;
    const message = 'the objects are nested too deeply';
    const body = conversionAnswer(review.apiVersion, uid, { type: 'failed', message });
    return { uid, result: 'failed', message, reply: { status: 200, type: 'application/json', body } };
  }
}

async function converted(
  { apiVersion, request }: Extract<ConversionReview, { readonly type: 'review' }>,
  call: ConversionCall,
  { steps, ...options }: ConversionEndpointOptions,
): Promise<Ended> {
  const written = (converted: Parameters<typeof conversionAnswer>[2]): ConversionReply => ({
    status: 200,
    type: 'application/json',
    body: conversionAnswer(apiVersion, request.uid, converted),
  });
  const conversion = await inTime(call, async (signal) => convert(request, { ...options, steps: steps(), signal }));
  switch (conversion.type) {
    case 'converted':
      return { result: 'converted', message: '', reply: written(conversion) };
    case 'failed':
      return { result: 'failed', message: conversion.message, reply: written(conversion) };
    case 'refused':
      return { ...conversion, result: 'refused', reply: plain(conversion.status, conversion.message) };
    case 'late': {
      const message = `no answer within ${goDuration(conversion.limitMs)}`;
      return { result: 'timeout', message, reply: written({ type: 'failed', message }) };
    }
  }
}

interface Late {
  readonly type: 'late';
  readonly limitMs: number;
}

async function inTime(
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: ConversionCall,
  work: (signal: AbortSignal) => Promise<Conversion>,
): Promise<Conversion | Late> {
  const limitMs = Math.max(timeoutMs - MARGIN_MS, timeoutMs / 2);
  const overtime = new AbortController();
  return within<Conversion | Late>(work(AbortSignal.any([signal, overtime.signal])), {
    limitMs,
    late: () => {
      overtime.abort(new Error(`no answer within ${goDuration(limitMs)}`));
      return { type: 'late', limitMs };
    },
  });
}

function invalid(status: number, message: string): Ended {
  return { result: 'invalid', message, reply: plain(status, message) };
}

function plain(status: number, text: string): ConversionReply {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}
