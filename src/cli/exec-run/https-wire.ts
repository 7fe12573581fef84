import { Agent, request } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { eventually, type Settle } from '../../lib/deadline.ts';
import {
  bodyOf,
  hostOf,
  lateError,
  NoConnectionError,
  type Answer,
  type Outgoing,
  type Place,
  type Wire,
} from '../agent/exchange.ts';

export interface WireOptions {
  /** PEM of who must have signed the certificate of a server. */
  readonly authority: string;
  readonly connectLimitMs: number;
}

const KEEP_ALIVE_MS = 1000;
const MAX_HEADER_BYTES = 16 * 1024;

/** Connections with HTTP/1.1, which are kept for the next request until `close`. */
export class HttpsWire implements Wire {
  readonly #options: WireOptions;
  readonly #agent = new Agent({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE_MS, maxSockets: 4, maxFreeSockets: 2 });

  constructor(options: WireOptions) {
    this.#options = options;
  }

  async exchange({ url, address }: Place, outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
    const { method, path, headers, body, limitMs } = outgoing;
    const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const late = (): never => {
      throw lateError(limitMs);
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
  const headAtMs = performance.now();
  const { pieces, take } = bodyOf(maxBytes, reject);
  response.on('data', take);
  response.once('end', () => resolve({ status: response.statusCode ?? 0, body: pieces, headAtMs }));
  response.on('error', reject);
  // After its end, this says nothing new.
  response.once('close', () => reject(new Error('the answer was cut off')));
}
