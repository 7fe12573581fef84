import { once } from 'node:events';
import {
  connect,
  constants,
  createSecureServer,
  type ClientHttp2Session,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '../../test/support/certificate.ts';

/** An answer in place of the server's own. */
export interface Refusal {
  readonly code: number;
  readonly retryAfterSeconds?: number;
}

/** A proxy that terminates TLS, so that it can answer instead of the server. */
export interface Gateway {
  readonly port: number;
  /** The certificate authority for clients. */
  readonly ca: string;
  /** Answers every request with this from now on; `undefined` ends that. */
  refuse(refusal: Refusal | undefined): void;
  close(): Promise<void>;
}

const WINDOW_BYTES = 8 * 1024 * 1024;

/**
 * Passes HTTP/2, on a port or a free one, to the API server; a connection that is lost on one side is lost on the
 * other.
 */
export async function startGateway(target: { readonly url: string; readonly ca: string }, port = 0): Promise<Gateway> {
  const { cert, key } = createCertificate();
  const server = createSecureServer({ cert, key });
  const upstreams = new WeakMap<Http2Session, ClientHttp2Session>();
  const sessions = new Set<Http2Session>();
  let refusal: Refusal | undefined;

  server.on('session', (near) => {
    const far = connect(target.url, { ca: target.ca });
    far.on('error', () => {});
    far.once('connect', () => {
      // The other side may be closed already.
      if (!far.destroyed) far.setLocalWindowSize(WINDOW_BYTES);
    });
    near.on('error', () => {});
    far.once('close', () => near.destroy());
    near.once('close', () => {
      sessions.delete(near);
      far.destroy();
    });
    sessions.add(near);
    upstreams.set(near, far);
  });
  server.on('stream', (stream, headers, flags) => {
    stream.on('error', () => {});
    const upstream = stream.session === undefined ? undefined : upstreams.get(stream.session);
    if (refusal !== undefined) respond(stream, refusal);
    else if (upstream === undefined || upstream.destroyed) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else forward({ stream, headers, endStream: (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0 }, upstream);
  });
  server.on('sessionError', () => {});
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ca: cert,
    refuse(next) {
      refusal = next;
    },
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Incoming {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly endStream: boolean;
}

function forward({ stream, headers, endStream }: Incoming, upstream: ClientHttp2Session): void {
  const sent = upstream.request(headers, { endStream });
  sent.on('error', () => {});
  sent.on('response', (answer) => {
    if (stream.destroyed || stream.closed) return;
    stream.respond(answer);
    sent.pipe(stream);
  });
  sent.once('close', () => {
    if (sent.rstCode !== constants.NGHTTP2_NO_ERROR && !stream.closed) stream.close(sent.rstCode);
  });
  stream.once('close', () => {
    if (!sent.closed) sent.close(constants.NGHTTP2_CANCEL);
  });
  if (!endStream) stream.pipe(sent);
}

function respond(stream: ServerHttp2Stream, { code, retryAfterSeconds }: Refusal): void {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'a fault of the soak', code };
  stream.respond({
    ':status': code,
    'content-type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  });
  stream.end(JSON.stringify(status));
}
