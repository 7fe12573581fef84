import { HookletError, KubeError, ResourceExpiredError } from '../../errors.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';

/** Where a reflector is: about to list not older than a version (empty: as it is now), or watching from one. */
export interface Position {
  readonly type: 'list' | 'watch';
  readonly resourceVersion: string;
}

/** Why a watch was opened again or a list repeated; the `reason` label of the metric. */
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

/** What to do after a stream ended. */
export interface Restart {
  readonly reason: RestartReason;
  /** What ended the stream, if it did not end in good order. */
  readonly error: unknown;
  readonly position: Position;
  readonly delayMs: number;
}

/** How a stream ended: without `error` the server ended it in good order. */
export interface StreamEnd {
  readonly error: unknown;
  /** How many frames it brought. */
  readonly frames: number;
  /** Since it was asked for. */
  readonly livedMs: number;
}

export interface Recovery {
  /** Where to go on after a stream at `position` ended. */
  after(position: Position, end: StreamEnd): Restart;
  /** Something came from the server as it should. */
  succeeded(): void;
}

export interface RecoveryOptions {
  readonly now: () => number;
  readonly random: () => number;
}

/** A watch that ends sooner than this without a frame was refused, in all but name. */
const SHORT_WATCH_MS = 1000;
/** A server that fails for so long may have lost the position: list again. */
const FAILING_LIMIT_MS = 30_000;
/** A position that expires again sooner than this is not cured by listing at once. */
const EXPIRED_INTERVAL_MS = 10_000;
/** After so long without a fault the delays start small again. */
const HEALTHY_MS = 120_000;
const MIN_RETRY_AFTER_MS = 500;

/** Decides where a reflector goes on after its stream ended, and when. */
export function createRecovery({ now, random }: RecoveryOptions): Recovery {
  // Both short, so that hooks hear of it within 3 s when all is well again; who wants more peace says Retry-After.
  const connection = exponentialBackoff({ initialMs: 100, maxMs: 1000, jitter: 1, random });
  const server = exponentialBackoff({ initialMs: 800, maxMs: 1500, jitter: 0.3, random });
  let failingSinceMs: number | undefined;
  let lastFaultAtMs = now();
  let lastExpiredAtMs = -Infinity;

  const serverDelayMs = (error: unknown): number => {
    if (now() - lastFaultAtMs > HEALTHY_MS) server.reset();
    lastFaultAtMs = now();
    const retryAfterMs = error instanceof KubeError ? error.retryAfterMs : undefined;
    // A server that asks for no delay does not mean that it wants all it can get.
    if (retryAfterMs === undefined || retryAfterMs < MIN_RETRY_AFTER_MS) return server.next();
    return retryAfterMs * (1 + 0.1 * random());
  };
  /** Another list is the cure for a position that is gone; not when that one fails too, or cures nothing. */
  const isCuredByList = ({ type, resourceVersion }: Position): boolean => {
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
      case 'cure':
        return isCuredByList(position) ? 0 : serverDelayMs(error);
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
  /** `stay` where it is, `list` not older than what was seen so that time does not run backwards, or list the `newest`. */
  readonly next: 'stay' | 'list' | 'newest';
  /** Not at all, as for a broken connection, as for a server that is unwell, or as that unless a list is the cure. */
  readonly wait: 'none' | 'connection' | 'server' | 'cure';
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
  expired: { next: 'list', wait: 'cure' },
  'too-new': { next: 'newest', wait: 'cure' },
  'not-found': { next: 'newest', wait: 'server' },
  malformed: { next: 'list', wait: 'server' },
  refused: { next: 'list', wait: 'server' },
  unexpected: { next: 'list', wait: 'server' },
};

function nextPosition(position: Position, next: Rule['next']): Position {
  if (next === 'stay') return position;
  // A list that cannot be had in its version is had in another.
  const isNewest = next === 'newest' || position.type === 'list';
  return { type: 'list', resourceVersion: isNewest ? '' : position.resourceVersion };
}

function restartReason(position: Position, { error, frames, livedMs }: StreamEnd): RestartReason {
  if (error instanceof KubeError) return errorReason(error);
  // Without usable credentials there was no request; anything else is a bug, and still no reason to go deaf.
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
