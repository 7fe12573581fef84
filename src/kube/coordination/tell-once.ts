import { createHash } from 'node:crypto';
import { KubeError } from '../../errors.ts';
import { sleep } from '../../lib/sleep.ts';
import { messageOf } from '../../lib/message-of.ts';
import { apiPath } from '../api-path.ts';
import { isAlreadyExists, isConflict, isForbidden } from '../api-error.ts';
import type { KubeClient } from '../client.ts';
import { eventName, eventNamespace, eventObject, type EventSubject, type RecordedEvent } from './event-object.ts';

/** What became of an Event that is told once. */
export type TellOutcome =
  /** It is there, by this request or an earlier one. */
  | { readonly type: 'told' }
  /** No Events are written at all. */
  | { readonly type: 'off' }
  | { readonly type: 'failed'; readonly message: string };

/** An Event, and the key that makes its name: the same key never makes a second one while the first is there. */
export interface KeyedEvent {
  readonly event: RecordedEvent;
  readonly subject: EventSubject;
  readonly key: string;
}

const TRIES = 3;
const RETRY_MS = 1000;
const REQUEST_LIMIT_MS = 10_000;

/** Creates an Event under a name that is derived from its key; never rejects. */
export async function tellOnce(
  { event, subject, key }: KeyedEvent,
  {
    client,
    instance,
    nowMs,
  }: { readonly client: Pick<KubeClient, 'request'>; readonly instance: string; readonly nowMs: number },
  signal: AbortSignal,
): Promise<TellOutcome> {
  const name = eventName(subject, createHash('sha256').update(key).digest('hex').slice(0, 16));
  const counted = { event, subject, firstAtMs: nowMs, lastAtMs: nowMs, count: 1 };
  const path = apiPath('api', 'v1', 'namespaces', eventNamespace(subject), 'events');
  const body = JSON.stringify(eventObject(name, counted, instance));
  for (let tried = 1; ; tried += 1) {
    try {
      await client.request({ method: 'POST', path, body, timeoutMs: REQUEST_LIMIT_MS }, signal);
      return { type: 'told' };
    } catch (error) {
      if (isAlreadyExists(error)) return { type: 'told' };
      if (!isWorthAnother(error) || tried >= TRIES || signal.aborted) return failed(error);
      await sleep(Math.max(RETRY_MS, Math.min(error.retryAfterMs ?? 0, REQUEST_LIMIT_MS)), signal);
    }
  }
}

function isWorthAnother(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.isRetryable || isConflict(error));
}

function failed(error: unknown): TellOutcome {
  const message = messageOf(error);
  return { type: 'failed', message: isForbidden(error) ? `${message}; it is told when a Role allows it` : message };
}
