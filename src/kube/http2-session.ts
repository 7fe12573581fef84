import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

const SETTINGS_TIMEOUT_MS = 10_000;
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const SESSION_WINDOW_BYTES = 32 * 1024 * 1024;
/** Node ends streams above this; the windows are the limit that counts. */
const MAX_SESSION_MEMORY_MB = 1000;
// A connection that is half open is found out, and another in its place, within 15 s.
const DEFAULT_PING_INTERVAL_MS = 5000;
const DEFAULT_PING_TIMEOUT_MS = 8000;
const IDLE_SESSION_MS = 60_000;

export interface SessionOptions {
  readonly server: URL;
  /** Opens a socket that speaks HTTP/2. */
  readonly connect: () => Promise<Socket>;
  readonly pingIntervalMs?: number | undefined;
  readonly pingTimeoutMs?: number | undefined;
}

/**
 * Opens a session and watches over it: while it has streams it is pinged, and destroyed when no answer comes, so that
 * they fail soon on a connection that is half open; after a minute without streams it is closed.
 */
export async function openSession(options: SessionOptions, activeStreams: () => number): Promise<ClientHttp2Session> {
  const socket = await options.connect();
  const session = connectHttp2(options.server, {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    maxSessionMemory: MAX_SESSION_MEMORY_MB,
  });
  // Every stream gets the error as well.
  session.on('error', () => {});
  await settled(session);
  session.setLocalWindowSize(SESSION_WINDOW_BYTES);
  watchOver(session, options, activeStreams);
  return session;
}

/** Waits for the server's settings, which say how many streams it allows. */
function settled(session: ClientHttp2Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      session.destroy(timedOut('no HTTP/2 settings within 10 s'));
    }, SETTINGS_TIMEOUT_MS);
    let failure: Error = Object.assign(new Error('the server hung up'), { code: 'ECONNRESET' });
    const fail = (error: Error): void => {
      failure = error;
    };
    const close = (): void => {
      clearTimeout(timer);
      reject(failure);
    };
    session.once('error', fail).once('close', close);
    session.once('remoteSettings', () => {
      clearTimeout(timer);
      session.off('error', fail).off('close', close);
      resolve();
    });
  });
}

function watchOver(session: ClientHttp2Session, options: SessionOptions, activeStreams: () => number): void {
  const { pingIntervalMs = DEFAULT_PING_INTERVAL_MS, pingTimeoutMs = DEFAULT_PING_TIMEOUT_MS } = options;
  let idleMs = 0;
  const timer = setInterval(() => {
    idleMs = activeStreams() > 0 ? 0 : idleMs + pingIntervalMs;
    if (idleMs >= IDLE_SESSION_MS) session.close();
    else if (idleMs === 0) ping(session, pingTimeoutMs);
  }, pingIntervalMs);
  timer.unref();
  session.once('close', () => {
    clearInterval(timer);
  });
}

function ping(session: ClientHttp2Session, timeoutMs: number): void {
  if (session.destroyed) return;
  let isAnswered = false;
  const timer = setTimeout(() => {
    // After a pause of this process the answer may be waiting to be read: look once more after reading.
    setImmediate(() => {
      if (!isAnswered) session.destroy(timedOut(`no answer to a ping within ${timeoutMs} ms`));
    });
  }, timeoutMs);
  timer.unref();
  session.ping(() => {
    isAnswered = true;
    clearTimeout(timer);
  });
}

function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}
