import { Agent, request } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { eventually, type Settle } from '../../lib/deadline.ts';

/** One address of a URL. */
export interface Place {
  readonly url: URL;
  /** An IP address; the certificate must be of the host of the URL all the same. */
  readonly address: string;
}

/** A request, with what its answer may be. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  /** Of the body of the answer. */
  readonly maxBytes: number;
  /** From the beginning of the request to the end of the answer. */
  readonly limitMs: number;
}

/** An answer that has arrived whole. */
export interface Answer {
  readonly status: number;
  readonly body: readonly Buffer[];
}

export interface WireOptions {
  /** PEM of who must have signed the certificate of a server. */
  readonly authority: string;
  readonly connectLimitMs: number;
}

/** No connection came about in time. */
export class NoConnectionError extends Error {}

const KEEP_ALIVE_MS = 1000;
const MAX_HEADER_BYTES = 16 * 1024;

/** The connections to replicas, which are kept for the next request until `close`. */
export class Wire {
  readonly #options: WireOptions;
  readonly #agent = new Agent({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxSockets: 4, maxFreeSockets: 2 });

  constructor(options: WireOptions) {
    this.#options = options;
  }

  /** Rejects when there is no whole answer within the limits, however slowly or much the server sends. */
  async exchange({ url, address }: Place, outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
    const { method, path, headers, body, limitMs } = outgoing;
    const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const late = (): never => {
      throw new Error(`there was no whole answer within ${limitMs / 1000} s`);
    };
    return eventually<Answer>({ limitMs, late, signal }, (settle) => {
      const out = request({
        agent: this.#agent,
        ca: this.#options.authority,
        host: address,
        port: url.port === '' ? 443 : url.port,
        // An IP address is no name that a client may ask for: then the certificate must be of the address.
        ...(isIP(hostOf(url)) === 0 && { servername: hostOf(url) }),
        method,
        path,
        maxHeaderSize: MAX_HEADER_BYTES,
        headers: { host: url.host, 'content-length': length, ...headers },
      });
      const stop = limitConnecting(out, this.#options.connectLimitMs, settle.reject);
      out.on('error', settle.reject);
      out.on('response', (response) => collect(response, outgoing.maxBytes, settle));
      for (const piece of body) out.write(piece);
      out.end();
      return () => {
        stop();
        out.destroy();
      };
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The host of a URL, an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Where packets are dropped, as by a NetworkPolicy, nothing is heard: that must not take the time of the request. */
function limitConnecting(out: ClientRequest, limitMs: number, reject: (error: Error) => void): () => void {
  const timer = setTimeout(
    () => reject(new NoConnectionError(`there was no connection within ${limitMs / 1000} s`)),
    limitMs,
  );
  const stop = (): void => clearTimeout(timer);
  out.once('socket', (socket: Socket) => {
    if (out.reusedSocket) stop();
    else socket.once('secureConnect', stop);
  });
  return stop;
}

function collect(response: IncomingMessage, maxBytes: number, { resolve, reject }: Settle<Answer>): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= maxBytes) pieces.push(piece);
    else reject(new Error(`the answer is longer than ${maxBytes} bytes`));
  });
  response.once('end', () => resolve({ status: response.statusCode ?? 0, body: pieces }));
  response.on('error', reject);
  // After its end, this says nothing new.
  response.once('close', () => reject(new Error('the answer was cut off')));
}
