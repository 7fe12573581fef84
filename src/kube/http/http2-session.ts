/*
 * One HTTP/2 connection to the API server and its monitoring. `SessionPool` opens it and assigns streams to it. It is
 * open (takes streams), doubted (a ping is unanswered: no new streams, another connection is opened beside it), mute
 * (it answers pings but not requests: no new streams), closing (the server sent GOAWAY, or it was retired), or lost.
 * While it has streams, it is pinged every 2 s and `Pulse` judges the answers; without streams it is closed after a
 * minute. When it ends, `lost` aborts, and everything that waits on it must stop waiting then: the library may report
 * nothing.
 */

import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';

import { eventually } from '../../lib/deadline.ts';
import { CONNECT_TIMEOUT_MS, destroyWire, type Wire } from './connect.ts';
import { timedOut, type Carrier } from './http.ts';
import { Pulse, PULSE_TIMES, type PulseTimes } from './pulse.ts';

const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const SESSION_WINDOW_BYTES = 32 * 1024 * 1024;
/** Above this Node ends streams; the flow-control windows are the effective limit. */
const MAX_SESSION_MEMORY_MB = 1000;
/** Upper bound for the server's own stream limit: a slow connection delays no more than this many streams. */
const MAX_STREAMS = 250;
const IDLE_SESSION_MS = 60_000;
/** Limit for closing a connection that has no streams. */
const CLOSE_LIMIT_MS = 5000;
/** Time for the library to end the streams of a closed socket, before we do it. */
const CLOSE_GRACE_MS = 1000;

export interface SessionOptions {
  readonly server: URL;
  /** Opens a connection that speaks HTTP/2; aborting the signal ends the attempt. */
  readonly connect: (signal: AbortSignal) => Promise<Wire>;
  readonly pulseTimes?: PulseTimes | undefined;
}

/** How a session notifies its pool. */
export interface SessionListener {
  /** A ping is unanswered for too long. */
  doubted(): void;
  /** The ping that was sent at `askedAtMs` is answered. */
  answered(askedAtMs: number): void;
  ended(): void;
}

/** Opens a session. It resolves when the server's settings have arrived, which limit the number of streams. */
export async function openSession(options: SessionOptions, signal: AbortSignal): Promise<Session> {
  const wire = await options.connect(signal);
  try {
    const session = connectHttp2(options.server, {
      createConnection: () => wire.socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      maxSessionMemory: MAX_SESSION_MEMORY_MB,
    });
    // Each stream gets the error too, so it is handled there.
    session.on('error', () => {});
    await settled(session, signal);
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    return new Session(session, wire, options.pulseTimes ?? PULSE_TIMES);
  } catch (error) {
    destroyWire(wire);
    throw error;
  }
}

/** Waits for the server's settings, with a limit of our own: a session may not notice that its connection is gone. */
async function settled(session: ClientHttp2Session, signal: AbortSignal): Promise<void> {
  const late = (): never => {
    throw timedOut('no HTTP/2 settings within 10 s');
  };
  try {
    await eventually<void>({ limitMs: CONNECT_TIMEOUT_MS, late, signal }, ({ resolve, reject }) => {
      const close = (): void =>
        reject(Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' }));
      const settle = (): void => resolve();
      session.once('error', reject).once('close', close).once('remoteSettings', settle);
      return () => session.off('error', reject).off('close', close).off('remoteSettings', settle);
    });
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/** A monitored HTTP/2 connection; see above. */
export class Session implements Carrier {
  readonly http2: ClientHttp2Session;
  readonly openedAtMs = performance.now();
  readonly isPinged = true;
  readonly #wire: Wire;
  readonly #times: PulseTimes;
  readonly #pulse: Pulse;
  readonly #lost = new AbortController();
  #listener: SessionListener = { doubted: () => {}, answered: () => {}, ended: () => {} };
  #active = 0;
  #isMute = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(http2: ClientHttp2Session, wire: Wire, times: PulseTimes) {
    this.http2 = http2;
    this.#wire = wire;
    this.#times = times;
    this.#pulse = new Pulse(times, performance.now());
    const closed = (): void => this.end(Object.assign(new Error('the connection is closed'), { code: 'ECONNRESET' }));
    http2.once('close', closed).once('goaway', () => {
      this.#pulse.hurry();
      this.ping();
    });
    for (const socket of [wire.socket, wire.tcp]) {
      socket.once('close', () => setTimeout(closed, CLOSE_GRACE_MS).unref());
    }
    this.#waitForStreams();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isDoubted(): boolean {
    return this.#pulse.isDoubted;
  }

  /** Whether one more stream can be opened on it. */
  get hasRoom(): boolean {
    if (this.http2.closed || this.http2.destroyed || this.isDoubted || this.#isMute || this.lost.aborted) return false;
    const allowed = this.http2.remoteSettings.maxConcurrentStreams ?? MAX_STREAMS;
    // A server that allows no streams now may allow some later; another connection would not help.
    return this.#active < Math.max(1, Math.min(allowed, MAX_STREAMS));
  }

  listen(listener: SessionListener): void {
    this.#listener = listener;
  }

  /**
   * Marks the session as mute: it answers pings, but not the requests that another connection answers. Open streams may
   * finish, no new ones are opened.
   */
  distrust(): void {
    this.#isMute = true;
  }

  silentForMs(): number {
    return this.#pulse.silentForMs(performance.now());
  }

  /** Counts one more stream; the returned function releases it, once. */
  reserve(): () => void {
    this.#active += 1;
    // An idle connection may have died without notice, so it is pinged at once.
    if (this.#active === 1) this.#lookIn(0);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#active -= 1;
    };
  }

  /** Sends a ping. */
  ping(): void {
    if (this.http2.destroyed) return;
    const askedAtMs = performance.now();
    const wasAsked = this.#pulse.isAsked;
    this.#pulse.pinged(askedAtMs, this.#bytesRead());
    this.http2.ping((error) => {
      if (error !== null) return;
      this.#pulse.answered(performance.now());
      // Replaces the timer of this ping by one for the next ping: an idle operator should wake up rarely.
      this.#look();
      this.#listener.answered(askedAtMs);
    });
    // A second ping must not extend the time for the first answer.
    if (!wasAsked) this.#lookIn(this.#times.doubtAfterMs);
  }

  /**
   * Another connection answered a ping that was sent at `askedAtMs`: ends this session if it has been silent for
   * longer.
   */
  outlivedBy(askedAtMs: number): void {
    if (!this.#pulse.isOutlivedBy(askedAtMs)) return;
    const silentMs = Math.round(this.silentForMs());
    this.end(timedOut(`no answer to a ping for ${silentMs} ms, while another connection is answered`));
  }

  /** Lets open streams finish, for at most `limitMs`. */
  async finish(limitMs: number): Promise<void> {
    if (this.lost.aborted) return;
    const late = (): void => this.end(timedOut('the connection was retired'));
    await eventually<void>({ limitMs, late }, ({ resolve }) => {
      const finished = (): void => resolve();
      this.lost.addEventListener('abort', finished, { once: true });
      this.http2.close();
      return () => this.lost.removeEventListener('abort', finished);
    });
  }

  /** Ends the session at once: aborts `lost` first, because the library may not notify everything that waits. */
  end(error: Error): void {
    if (this.lost.aborted) return;
    clearTimeout(this.#timer);
    this.#lost.abort(error);
    this.#listener.ended();
    this.http2.destroy(error);
    destroyWire(this.#wire);
  }

  #bytesRead(): number {
    return this.#wire.socket.bytesRead;
  }

  #lookIn(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.lost.aborted) return;
    // After a pause of this process an answer may wait in the socket: check only after it has been read.
    this.#timer = setTimeout(() => setImmediate(() => this.#look()), delayMs);
    this.#timer.unref();
  }

  #look(): void {
    if (this.lost.aborted) return;
    if (this.#active === 0 && !this.#pulse.isAsked) {
      this.#waitForStreams();
      return;
    }
    const { act, nextMs } = this.#pulse.look(performance.now(), this.#bytesRead());
    if (act === 'ping') {
      this.ping();
      return;
    }
    if (act === 'doubt') this.#listener.doubted();
    else if (act === 'end') this.end(timedOut(`no answer to a ping for ${Math.round(this.silentForMs())} ms`));
    this.#lookIn(nextMs);
  }

  #waitForStreams(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.finish(CLOSE_LIMIT_MS), IDLE_SESSION_MS);
    this.#timer.unref();
  }
}
