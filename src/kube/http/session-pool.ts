import { abortable } from '../../lib/abortable.ts';
import { hedged } from '../../lib/hedge.ts';
import { sleep } from '../../lib/sleep.ts';
import { CONNECT_TIMEOUT_MS, HEDGE_MS } from './connect.ts';
import { timedOut } from './http.ts';
import { openSession, type Session, type SessionOptions } from './http2-session.ts';

/** Longer than any watch or list lives. */
const RETIRE_LIMIT_MS = 900_000;
/** Between two tries to open a connection beside one that is silent. */
const BESIDE_RETRY_MS = 500;

/** Room for one stream. */
export interface Place {
  readonly session: Session;
  /** Gives the room back; a second call does nothing. */
  readonly release: () => void;
}

/** The sessions to one server. None holds up another: a late one is left alone, a stuck attempt has another beside it. */
export class SessionPool {
  readonly #options: SessionOptions;
  readonly #sessions = new Set<Session>();
  readonly #closed = new AbortController();
  #opening: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** A session with room for one more stream, which is counted. */
  async acquire(signal: AbortSignal): Promise<Place> {
    for (;;) {
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      for (const session of this.#sessions) if (session.hasRoom) return { session, release: session.reserve() };
      await abortable(this.#openOnce(), signal);
    }
  }

  /** Room on a session that was opened after `sinceMs`; all that ask for one share it. */
  async acquireNewer(sinceMs: number, signal: AbortSignal): Promise<Place> {
    for (;;) {
      signal.throwIfAborted();
      const newer = this.#sessions.values().find((session) => session.hasRoom && session.openedAtMs > sinceMs);
      if (newer !== undefined) return { session: newer, release: newer.reserve() };
      await abortable(this.#openOnce(), signal);
    }
  }

  /** Lets what is open finish, and resolves when all is closed. */
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

  /** Where a session is in doubt, the others are asked; what they answer decides about it. */
  #ask(witness: Session): void {
    if (this.#sessions.values().some((session) => session.isDoubted)) witness.ping();
  }

  /** As long as `session` is silent, looks for another connection that is answered. */
  async #askBeside(session: Session): Promise<void> {
    const { signal } = this.#closed;
    while (session.isDoubted && !session.lost.aborted && !signal.aborted) {
      const witness = this.#sessions.values().find((other) => other.hasRoom);
      if (witness !== undefined) this.#ask(witness);
      // Its failure is nothing new; requests that wait for it are told.
      else await this.#openOnce().catch(() => {});
      await sleep(BESIDE_RETRY_MS, signal);
    }
  }
}
