/*
 * The HTTP/2 sessions to one server. `http2.ts` acquires a place for each request: on any session with room, else on a
 * new one; one attempt to open a session is shared by all that wait for it. When a session is in doubt, the pool pings
 * the others, or opens one more, until the doubt ends: a session that answers a later ping proves that the doubted one
 * is dead, which then ends. No session may block another: a doubted one gets no new streams, and a slow attempt to
 * connect gets a second one beside it.
 */

import { abortable } from '../../lib/abortable.ts';
import { hedged } from '../../lib/hedge.ts';
import { sleep } from '../../lib/sleep.ts';
import { CONNECT_TIMEOUT_MS, HEDGE_MS } from './connect.ts';
import { timedOut } from './http.ts';
import { openSession, type Session, type SessionOptions } from './http2-session.ts';

/** Longer than any watch or list takes. */
const RETIRE_LIMIT_MS = 900_000;
/** Between two attempts to compare a silent session with another one. */
const BESIDE_RETRY_MS = 500;

/** Room for one stream. */
export interface Place {
  readonly session: Session;
  /** Releases the place; a second call does nothing. */
  readonly release: () => void;
}

/** The pool of sessions to one server; see above. */
export class SessionPool {
  readonly #options: SessionOptions;
  readonly #sessions = new Set<Session>();
  readonly #closed = new AbortController();
  #opening: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Reserves a stream on a session with room, and opens a session if there is none. */
  async acquire(signal: AbortSignal): Promise<Place> {
    for (;;) {
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      for (const session of this.#sessions) if (session.hasRoom) return { session, release: session.reserve() };
      await abortable(this.#openOnce(), signal);
    }
  }

  /** Reserves a stream on a session that was opened after `sinceMs`; concurrent callers share a new one. */
  async acquireNewer(sinceMs: number, signal: AbortSignal): Promise<Place> {
    for (;;) {
      signal.throwIfAborted();
      const newer = this.#sessions.values().find((session) => session.hasRoom && session.openedAtMs > sinceMs);
      if (newer !== undefined) return { session: newer, release: newer.reserve() };
      await abortable(this.#openOnce(), signal);
    }
  }

  /** Lets open streams finish, and resolves when all sessions are closed. */
  async retire(): Promise<void> {
    await Promise.all([...this.#sessions].map(async (session) => session.finish(RETIRE_LIMIT_MS)));
  }

  close(): void {
    const error = new Error('the client is closed');
    this.#closed.abort(error);
    for (const session of this.#sessions) session.end(error);
  }

  async #openOnce(): Promise<void> {
    this.#opening ??= this.#open().then(
      () => void (this.#opening = undefined),
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  async #open(): Promise<void> {
    const session = await hedged(async (signal) => openSession(this.#options, signal), {
      afterMs: HEDGE_MS,
      limitMs: CONNECT_TIMEOUT_MS,
      late: () => timedOut('no connection within 10 s'),
      discard: (late) => late.end(new Error('another attempt was faster')),
      signal: this.#closed.signal,
    });
    this.#add(session);
  }

  #add(session: Session): void {
    this.#sessions.add(session);
    session.listen({
      doubted: () => {
        void this.#askBeside(session);
      },
      answered: (askedAtMs) => {
        for (const other of this.#sessions) if (other !== session) other.outlivedBy(askedAtMs);
      },
      ended: () => this.#sessions.delete(session),
    });
    this.#ask(session);
  }

  /** Pings `witness` if any session is in doubt; its answer decides about the doubted one. */
  #ask(witness: Session): void {
    if (this.#sessions.values().some((session) => session.isDoubted)) witness.ping();
  }

  /** While `session` is silent, pings another session, or opens one. */
  async #askBeside(session: Session): Promise<void> {
    const { signal } = this.#closed;
    while (session.isDoubted && !session.lost.aborted && !signal.aborted) {
      const witness = this.#sessions.values().find((other) => other.hasRoom);
      if (witness !== undefined) this.#ask(witness);
      // The error is ignored here: requests that wait for the same attempt get it.
      else await this.#openOnce().catch(() => {});
      await sleep(BESIDE_RETRY_MS, signal);
    }
  }
}
