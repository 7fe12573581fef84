/*
 * Decides how a reflector continues after its stream ended: from which position, and after which delay. `reflector.ts`
 * calls `after` at each end and `succeeded` at each good frame. The reason of the end selects a rule. The position
 * either stays, or becomes a list not older than what was seen, so that time does not run backward, or a list of the
 * newest version when no other can be had. The delays are short, so that hooks receive events again within 3 s after
 * the server recovers; a server that needs more rest sends Retry-After.
 */

import { HookletError, KubeError, ResourceExpiredError } from '../../errors.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';

/**
 * The state of a reflector: about to list, not older than a version (empty: the newest), or watching from a version.
 */
export interface Position {
  readonly type: 'list' | 'watch';
  readonly resourceVersion: string;
}

/** Why a watch was reopened or a list repeated; the `reason` label of the metric. */
export type RestartReason =
  | 'end'
  | 'requested'
  | 'expired'
  | 'too-new'
  | 'short'
  | 'idle'
  | 'connection'
  | 'malformed'
  | 'throttled'
  | 'server-error'
  | 'not-found'
  | 'denied'
  | 'refused'
  | 'unexpected';

/** How to continue after a stream ended. */
export interface Restart {
  readonly reason: RestartReason;
  /** The error that ended the stream; undefined for a regular end. */
  readonly error: unknown;
  readonly position: Position;
  readonly delayMs: number;
}

/** How a stream ended; without `error` the server ended it regularly. */
export interface StreamEnd {
  readonly error: unknown;
  /** How many frames it delivered. */
  readonly frames: number;
  /** Time since it was requested. */
  readonly livedMs: number;
}

/** The recovery of one reflector, which remembers its recent failures. */
export interface Recovery {
  /** Returns how to continue after a stream at `position` ended. */
  after(position: Position, end: StreamEnd): Restart;
  /** The server sent a valid frame. */
  succeeded(): void;
}

export interface RecoveryOptions {
  readonly now: () => number;
  readonly random: () => number;
}

/** A watch that ends sooner than this, without a frame, was in effect refused. */
const SHORT_WATCH_MS = 1000;
/** A server that has failed for this long may have lost the version: list again. */
const FAILING_LIMIT_MS = 30_000;
/** When a version expires again sooner than this, an immediate list does not help. */
const EXPIRED_INTERVAL_MS = 10_000;
/** After this long without a fault the delays start small again. */
const HEALTHY_MS = 120_000;
const MIN_RETRY_AFTER_MS = 500;

/** Creates the recovery of one reflector. */
export function createRecovery({ now, random }: RecoveryOptions): Recovery {
  // Short delays: hooks must receive events within 3 s after the server recovers. A server that needs more sends
  // Retry-After.
  const connection = exponentialBackoff({ initialMs: 100, maxMs: 1000, jitter: 1, random });
  const server = exponentialBackoff({ initialMs: 800, maxMs: 1500, jitter: 0.3, random });
  let failingSinceMs: number | undefined;
  let lastFaultAtMs = now();
  let lastExpiredAtMs = -Infinity;

  const serverDelayMs = (error: unknown): number => {
    if (now() - lastFaultAtMs > HEALTHY_MS) server.reset();
    lastFaultAtMs = now();
    const retryAfterMs = error instanceof KubeError ? error.retryAfterMs : undefined;
    // A tiny Retry-After does not mean that the server wants requests without a pause.
    if (retryAfterMs === undefined || retryAfterMs < MIN_RETRY_AFTER_MS) return server.next();
    return retryAfterMs * (1 + 0.1 * random());
  };
  /**
   * Whether an immediate list helps against an expired version: not when the failed request was a list of the newest
   * version, nor when a watch expired only recently.
   */
  const isHelpedByList = ({ type, resourceVersion }: Position): boolean => {
    if (type === 'list') return resourceVersion !== '';
    const isRare = now() - lastExpiredAtMs > EXPIRED_INTERVAL_MS;
    lastExpiredAtMs = now();
    return isRare;
  };
  const delayMs = (wait: Rule['wait'], position: Position, { error, livedMs }: StreamEnd): number => {
    switch (wait) {
      case 'none':
        return livedMs >= SHORT_WATCH_MS ? 0 : connection.next();
      case 'connection':
        return connection.next();
      case 'unless-list-helps':
        return isHelpedByList(position) ? 0 : serverDelayMs(error);
      case 'server':
        return serverDelayMs(error);
    }
  };

  return {
    succeeded() {
      failingSinceMs = undefined;
      connection.reset();
    },
    after(position, end) {
      const reason = restartReason(position, end);
      if (reason === 'server-error') failingSinceMs ??= now();
      const hasFailedLong = failingSinceMs !== undefined && now() - failingSinceMs > FAILING_LIMIT_MS;
      const { next, wait } = RULES[reason];
      return {
        reason,
        error: end.error,
        position: nextPosition(position, hasFailedLong ? 'list' : next),
        delayMs: delayMs(wait, position, end),
      };
    },
  };
}

interface Rule {
  /** `stay` at the position, `list` not older than what was seen, or list the `newest`. */
  readonly next: 'stay' | 'list' | 'newest';
  /**
   * Which delay: `none`; the backoff of a broken `connection`; that of an unavailable `server`; or `unless-list-helps`:
   * the backoff of a server, but no delay when an immediate list helps.
   */
  readonly wait: 'none' | 'connection' | 'server' | 'unless-list-helps';
}

const RULES: Readonly<Record<RestartReason, Rule>> = {
  end: { next: 'stay', wait: 'none' },
  requested: { next: 'list', wait: 'none' },
  short: { next: 'stay', wait: 'server' },
  idle: { next: 'stay', wait: 'connection' },
  connection: { next: 'stay', wait: 'connection' },
  throttled: { next: 'stay', wait: 'server' },
  'server-error': { next: 'stay', wait: 'server' },
  denied: { next: 'stay', wait: 'server' },
  expired: { next: 'list', wait: 'unless-list-helps' },
  'too-new': { next: 'newest', wait: 'unless-list-helps' },
  'not-found': { next: 'newest', wait: 'server' },
  malformed: { next: 'list', wait: 'server' },
  refused: { next: 'list', wait: 'server' },
  unexpected: { next: 'list', wait: 'server' },
};

function nextPosition(position: Position, next: Rule['next']): Position {
  if (next === 'stay') return position;
  // A list that failed in its version is tried in the newest one.
  const isNewest = next === 'newest' || position.type === 'list';
  return { type: 'list', resourceVersion: isNewest ? '' : position.resourceVersion };
}

function restartReason(position: Position, { error, frames, livedMs }: StreamEnd): RestartReason {
  if (error instanceof KubeError) return errorReason(error);
  // An error of ours other than `KubeError` means missing credentials. Anything else is a bug, and the watch must
  // survive it.
  if (error !== undefined) return error instanceof HookletError ? 'denied' : 'unexpected';
  return position.type === 'watch' && frames === 0 && livedMs < SHORT_WATCH_MS ? 'short' : 'end';
}

const REASON_BY_STATUS: Readonly<Record<number, RestartReason>> = {
  401: 'denied',
  403: 'denied',
  404: 'not-found',
  410: 'expired',
  429: 'throttled',
};

function errorReason(error: KubeError): RestartReason {
  if (error instanceof ResourceExpiredError) return 'expired';
  if (error.status === 0) return connectionReason(error);
  if (error.status === 504 && error.message.includes('Too large resource version')) return 'too-new';
  return REASON_BY_STATUS[error.status] ?? (error.status >= 500 ? 'server-error' : 'refused');
}

function connectionReason({ reason }: KubeError): RestartReason {
  if (reason === 'Idle') return 'idle';
  return reason === 'Malformed' ? 'malformed' : 'connection';
}
