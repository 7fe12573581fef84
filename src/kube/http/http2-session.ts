import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';

import { eventually } from '../../lib/deadline.ts';
import { CONNECT_TIMEOUT_MS, destroyWire, type Wire } from './connect.ts';
import { timedOut, type Carrier } from './http.ts';
import { Pulse, PULSE_TIMES, type PulseTimes } from './pulse.ts';

const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const SESSION_WINDOW_BYTES = 32 * 1024 * 1024;
/** Node ends streams above this; the windows are the limit that counts. */
const MAX_SESSION_MEMORY_MB = 1000;
/** What the server may allow at most on one connection; a slow one then delays no more than these. */
const MAX_STREAMS = 250;
const IDLE_SESSION_MS = 60_000;
/** For the goodbye on a connection without streams. */
const CLOSE_LIMIT_MS = 5000;
/** The library may take so long to tell its streams that their socket is closed. */
const CLOSE_GRACE_MS = 1000;

export interface SessionOptions {
  readonly server: URL;
  /** Opens a connection that speaks HTTP/2; its signal ends the attempt. */
  readonly connect: (signal: AbortSignal) => Promise<Wire>;
  readonly pulseTimes?: PulseTimes | undefined;
}

/** What a session tells the pool it is in. */
export interface SessionListener {
  /** Answers are late. */
  doubted(): void;
  /** It answered what it was asked at `askedAtMs`. */
  answered(askedAtMs: number): void;
  ended(): void;
}

/** Opens a session; it is usable when the server's settings came, which say how many streams it allows. */
export async function openSession(options: SessionOptions, signal: AbortSignal): Promise<Session> {
  const wire = await options.connect(signal);
  try {
    const session = connectHttp2(options.server, {
      createConnection: () => wire.socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      maxSessionMemory: MAX_SESSION_MEMORY_MB,
    });
    // Every stream gets the error as well.
    session.on('error', () => {});
    await settled(session, signal);
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    return new Session(session, wire, options.pulseTimes ?? PULSE_TIMES);
  } catch (error) {
    destroyWire(wire);
    throw error;
  }
}

/** Waits for the server's settings. The session itself may not notice that its connection is gone: the limit is ours. */
async function settled(session: ClientHttp2Session, signal: AbortSignal): Promise<void> {
  const late = (): never => {
    throw timedOut('no HTTP/2 settings within 10 s');
  };
  try {
    await eventually<void>({ limitMs: CONNECT_TIMEOUT_MS, late, signal }, ({ resolve, reject }) => {
      const close = (): void => reject(Object.assign(new Error('the server hung up'), { code: 'ECONNRESET' }));
      const settle = (): void => resolve();
      session.once('error', reject).once('close', close).once('remoteSettings', settle);
      return () => session.off('error', reject).off('close', close).off('remoteSettings', settle);
    });
  } catch (error) {
    session.destroy();
    throw error;
  }
}

/**
 * An HTTP/2 connection, watched over: while it has streams it is pinged; after a minute without streams it is closed. When
 * it ends, `lost` aborts, and whoever waits for something on it stops waiting, also where the library says nothing.
 */
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

  /** Whether it takes one more stream. */
  get hasRoom(): boolean {
    if (this.http2.closed || this.http2.destroyed || this.isDoubted || this.#isMute || this.lost.aborted) return false;
    const allowed = this.http2.remoteSettings.maxConcurrentStreams ?? MAX_STREAMS;
    // One that allows none may allow some later; another connection would not help.
    return this.#active < Math.max(1, Math.min(allowed, MAX_STREAMS));
  }

  listen(listener: SessionListener): void {
    this.#listener = listener;
  }

  /** It answers pings and no requests, which another connection answers: what is open on it may end, and no more comes. */
  distrust(): void {
    this.#isMute = true;
  }

  silentForMs(): number {
    return this.#pulse.silentForMs(performance.now());
  }

  /** Counts a stream, and gives what takes it off the count once. */
  reserve(): () => void {
    this.#active += 1;
    // A connection that was idle may have died meanwhile: it is asked at once.
    if (this.#active === 1) this.#lookIn(0);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#active -= 1;
    };
  }

  /** Asks the server whether it is there. */
  ping(): void {
    if (this.http2.destroyed) return;
    const askedAtMs = performance.now();
    const wasAsked = this.#pulse.isAsked;
    this.#pulse.pinged(askedAtMs, this.#bytesRead());
    this.http2.ping((error) => {
      if (error !== null) return;
      this.#pulse.answered(performance.now());
      // Not sooner than the next ping: an idle operator is woken as seldom as that.
      this.#look();
      this.#listener.answered(askedAtMs);
    });
    // One that is asked again does not get more time for the first answer.
    if (!wasAsked) this.#lookIn(this.#times.doubtAfterMs);
  }

  /** Another connection answered what it was asked at `askedAtMs`: ends this one if it is silent for longer. */
  outlivedBy(askedAtMs: number): void {
    if (!this.#pulse.isOutlivedBy(askedAtMs)) return;
    const silentMs = Math.round(this.silentForMs());
    this.end(timedOut(`no answer to a ping for ${silentMs} ms, while another connection is answered`));
  }

  /** Lets the streams there are finish, for at most `limitMs`. */
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

  /** Ends everything at once: what waits on it is told first, then the library. */
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
    // After a pause of this process an answer may be waiting to be read: it looks after reading.
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
