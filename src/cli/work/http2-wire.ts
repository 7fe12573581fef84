/*
 * The connections of a worker: HTTP/2, two to each place, on which requests run beside each other: one for what may be
 * long, so that no beat waits behind megabytes that a slow network has not taken yet, and one for all else. A connection
 * is connecting, open, or given up: then its requests end by themselves and the next one connects anew, reading again what
 * certificates are trusted. It is given up when it breaks, when the server says that it goes, and when nothing at all came
 * over it: in the time of a request that was not answered, or from one ping to the next.
 */

import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { isIP } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { eventually } from '../../lib/deadline.ts';
import {
  hostOf,
  lateError,
  NoConnectionError,
  type Answer,
  type Outgoing,
  type Place,
  type Wire,
} from '../agent/exchange.ts';
import { sendOn } from './http2-request.ts';

export interface Http2WireOptions {
  /** PEM of who must have signed the certificate of a server; undefined: whom Node trusts. May throw. */
  readonly authority: () => string | undefined;
  readonly connectLimitMs: number;
  /** From one ping to the next. */
  readonly pingMs: number;
}

interface Connection {
  readonly session: ClientHttp2Session;
  readonly socket: TLSSocket;
}

const SETTINGS = { enablePush: false, initialWindowSize: 4 * 1024 * 1024, maxHeaderListSize: 16 * 1024 };
const WINDOW_BYTES = 16 * 1024 * 1024;
/** In MB, of all that is to be sent: as many long results as there may be runs. */
const MAX_SESSION_MEMORY = 1024;

/** See above. */
export class Http2Wire implements Wire {
  readonly #options: Http2WireOptions;
  readonly #connections = new Map<string, Connection>();

  constructor(options: Http2WireOptions) {
    this.#options = options;
  }

  async exchange(place: Place, outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
    const { limitMs, isLong = false } = outgoing;
    signal.throwIfAborted();
    const { session, socket } = this.#connectionTo(place, isLong);
    const bytesBefore = socket.bytesRead;
    const late = (): never => {
      const error = lateError(limitMs);
      if (!session.connecting && socket.bytesRead === bytesBefore) session.destroy(error);
      throw error;
    };
    return eventually<Answer>({ limitMs, late, signal }, (settle) =>
      sendOn(session, { authority: place.url.host, outgoing }, settle),
    );
  }

  close(): void {
    for (const { session } of this.#connections.values()) session.destroy();
  }

  #connectionTo(place: Place, isLong: boolean): Connection {
    const key = `${place.url.origin} ${place.address} ${isLong}`;
    const known = this.#connections.get(key);
    if (known !== undefined && !known.session.closed && !known.session.destroyed) return known;
    const connection = openConnection(place, this.#options);
    const forget = (): void => {
      if (this.#connections.get(key) === connection) this.#connections.delete(key);
    };
    connection.session.once('close', forget);
    // What is asked already may still be answered.
    connection.session.once('goaway', forget);
    this.#connections.set(key, connection);
    return connection;
  }
}

function openConnection({ url, address }: Place, { authority, connectLimitMs, pingMs }: Http2WireOptions): Connection {
  const ca = authority();
  const socket = connectTls({
    host: address,
    port: url.port === '' ? 443 : Number(url.port),
    // An IP address is no name that a client may ask for: then the certificate must be of the address.
    ...(isIP(hostOf(url)) === 0 && { servername: hostOf(url) }),
    ...(ca !== undefined && { ca }),
    ALPNProtocols: ['h2'],
  });
  socket.setNoDelay(true);
  const session = connectHttp2(url.origin, {
    createConnection: () => socket,
    settings: SETTINGS,
    maxSessionMemory: MAX_SESSION_MEMORY,
  });
  const late = new NoConnectionError(`there was no connection within ${connectLimitMs / 1000} s`);
  const timer = setTimeout(() => session.destroy(late), connectLimitMs);
  session.once('connect', () => {
    clearTimeout(timer);
    if (!session.destroyed) session.setLocalWindowSize(WINDOW_BYTES);
  });
  session.once('close', () => clearTimeout(timer));
  // Each of its requests fails with it, and says why.
  session.on('error', () => {});
  const connection = { session, socket };
  pingOften(connection, pingMs);
  return connection;
}

/** Gives a connection up over which nothing comes from one ping to the next. */
function pingOften({ session, socket }: Connection, pingMs: number): void {
  let bytesBefore = -1;
  const timer = setInterval(() => {
    if (session.connecting || session.destroyed) return;
    if (socket.bytesRead === bytesBefore) {
      session.destroy(
        new Error(`nothing came over the connection for ${pingMs / 1000} s, not even an answer to a ping`),
      );
      return;
    }
    bytesBefore = socket.bytesRead;
    session.ping(() => {});
  }, pingMs);
  session.once('close', () => clearInterval(timer));
}
