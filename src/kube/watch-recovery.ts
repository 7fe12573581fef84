import { HookletError, KubeError, ResourceExpiredError } from '../errors.ts';
import { exponentialBackoff } from '../lib/backoff.ts';

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
/** After so long without a fault the delays start small again. */
const HEALTHY_MS = 120_000;

/** Decides where a reflector goes on after its stream ended, and when. */
export function createRecovery({ now, random }: RecoveryOptions): Recovery {
  // Short, because a network that is back should be noticed at once; a server that answers is left in peace.
  const connection = exponentialBackoff({ initialMs: 100, maxMs: 1000, jitter: 1, random });
  const server = exponentialBackoff({ initialMs: 800, maxMs: 30_000, jitter: 1, random });
  let failingSinceMs: number | undefined;
  let lastFaultAtMs = now();

  const serverDelayMs = (): number => {
    if (now() - lastFaultAtMs > HEALTHY_MS) server.reset();
    lastFaultAtMs = now();
    return server.next();
  };
  const delayMs = (reason: RestartReason, position: Position, error: unknown): number => {
    if (reason === 'end') return 0;
    if (reason === 'connection' || reason === 'idle') return connection.next();
    if (reason === 'throttled' && error instanceof KubeError && error.retryAfterMs !== undefined) {
      return error.retryAfterMs * (1 + 0.1 * random());
    }
    // The newest state is asked for next: that needs no patience, unless it was what failed.
    const isFirst = position.type === 'watch' || position.resourceVersion !== '';
    if (isFirst && (reason === 'expired' || reason === 'too-new')) return 0;
    return serverDelayMs();
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
      const next = nextPosition(position, hasFailedLong ? 'list' : NEXT_POSITION[reason]);
      return { reason, position: next, delayMs: delayMs(reason, position, end.error) };
    },
  };
}

/** `stay` where it is, `list` not older than what was seen so that time does not run backwards, or list the `newest`. */
const NEXT_POSITION: Readonly<Record<RestartReason, 'stay' | 'list' | 'newest'>> = {
  end: 'stay',
  short: 'stay',
  idle: 'stay',
  connection: 'stay',
  throttled: 'stay',
  'server-error': 'stay',
  denied: 'stay',
  requested: 'list',
  expired: 'list',
  malformed: 'list',
  refused: 'list',
  unexpected: 'list',
  'too-new': 'newest',
  'not-found': 'newest',
};

function nextPosition(position: Position, next: 'stay' | 'list' | 'newest'): Position {
  if (next === 'stay') return position;
  // A list that cannot be had in its version is had in another.
  const isNewest = next === 'newest' || position.type === 'list';
  return { type: 'list', resourceVersion: isNewest ? '' : position.resourceVersion };
}

const REASON_BY_STATUS: Readonly<Record<number, RestartReason>> = {
  401: 'denied',
  403: 'denied',
  404: 'not-found',
  429: 'throttled',
};

function restartReason(position: Position, { error, frames, livedMs }: StreamEnd): RestartReason {
  if (error === undefined) {
    return position.type === 'watch' && frames === 0 && livedMs < SHORT_WATCH_MS ? 'short' : 'end';
  }
  if (error instanceof ResourceExpiredError) return 'expired';
  // Without usable credentials there was no request; anything else is a bug, and still no reason to go deaf.
  if (!(error instanceof KubeError)) return error instanceof HookletError ? 'denied' : 'unexpected';
  if (error.status === 0) return connectionReason(error);
  if (error.status === 504 && error.message.includes('Too large resource version')) return 'too-new';
  return REASON_BY_STATUS[error.status] ?? (error.status >= 500 ? 'server-error' : 'refused');
}

function connectionReason({ reason }: KubeError): RestartReason {
  if (reason === 'Idle') return 'idle';
  return reason === 'Malformed' ? 'malformed' : 'connection';
}
