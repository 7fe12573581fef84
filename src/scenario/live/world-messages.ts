/* What the process of a world and its parent tell each other. Each request is answered once; moments come before. */

import type { JsonObject } from '@hooklet/sandbox';
import type { Moment } from '../timeline.ts';
import type { Action, Given } from '../world.ts';
import type { ClusterAnswer } from './world-cluster.ts';

export type WorldRequest = { readonly id: number } & (
  | { readonly type: 'open'; readonly given: Given }
  | { readonly type: 'act'; readonly action: Action }
  | { readonly type: 'objects' | 'metrics' | 'close' }
);

/** A request before it has a number. */
export type WorldQuestion = WorldRequest extends infer Request
  ? Request extends unknown
    ? Omit<Request, 'id'>
    : never
  : never;

export type WorldReport =
  | { readonly type: 'ready' }
  | { readonly type: 'moments'; readonly moments: readonly Moment[] }
  | { readonly type: 'done'; readonly id: number; readonly nowMs: number; readonly value: WorldValue }
  | { readonly type: 'failed'; readonly id: number; readonly message: string; readonly isExpected: boolean };

export interface WorldValue {
  readonly answer?: ClusterAnswer;
  readonly objects?: readonly JsonObject[];
  readonly metrics?: string;
}

/** The report in a message; throws for a message that is none. */
export function readReport(message: unknown): WorldReport {
  if (isReport(message)) return message;
  throw new Error('the process of a world sent a message that is no report');
}

/** The request in a message; throws for a message that is none. */
export function readRequest(message: unknown): WorldRequest {
  if (isRequest(message)) return message;
  throw new Error('got a message that is no request');
}

// Both ends are of one version and trust each other, so that only the type is looked at.
const REPORTS: readonly unknown[] = ['ready', 'moments', 'done', 'failed'];
const REQUESTS: readonly unknown[] = ['open', 'act', 'objects', 'metrics', 'close'];

function isReport(message: unknown): message is WorldReport {
  return typeof message === 'object' && message !== null && 'type' in message && REPORTS.includes(message.type);
}

function isRequest(message: unknown): message is WorldRequest {
  return typeof message === 'object' && message !== null && 'type' in message && REQUESTS.includes(message.type);
}
