import type { Server as Http1Server } from 'node:http';
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server } from 'node:tls';
import type { Answering } from './answering.ts';
import type { ServerBounds } from './bounds.ts';
import type { Connection, Connections } from './connections.ts';

/** A certificate with its intermediate certificates, and its key, as PEM. */
export interface Certificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface TlsOptions {
  /** Called at the start and at each `renew`. */
  readonly certificate: () => Certificate;
  /** Whether clients may use HTTP/2 too; default false. */
  readonly alsoHttp2?: boolean;
  /**
   * Certificates as PEM: clients need a certificate that one of them has signed. Absent, or empty at the start: they need
   * none. Called as `certificate` is.
   */
  readonly clientCa?: (() => readonly string[]) | undefined;
}

/** The parts of the server that a TLS connection uses. */
export interface TlsParts {
  readonly bounds: ServerBounds;
  readonly connections: Connections;
  readonly answering: Answering;
  /** Receives the connections of clients that use HTTP/1.1. */
  readonly http1: Http1Server;
}

/** A TLS server that does not listen yet. */
export interface TlsServer {
  readonly server: Server;
  /**
   * Reads the certificate again, for new connections. Throws for an invalid certificate, and keeps the previous one.
   */
  readonly renew: () => void;
}

const MIN_VERSION = 'TLSv1.2';

/** Creates a server for HTTP over TLS, which does not listen yet. */
export async function createTlsServer(options: TlsOptions, parts: TlsParts): Promise<TlsServer> {
  const { certificate, alsoHttp2 = false, clientCa = () => [] } = options;
  const { bounds, connections, answering, http1 } = parts;
  const http2 = alsoHttp2 ? await import('./http2.ts') : undefined;
  const needsCertificate = clientCa().length > 0;
  const context = (): SecureContextOptions => ({
    ...certificate(),
    ...(needsCertificate && { ca: [...clientCa()] }),
    minVersion: MIN_VERSION,
  });
  const server = createServer({
    ...context(),
    ALPNProtocols: http2 === undefined ? ['http/1.1'] : ['h2', 'http/1.1'],
    noDelay: true,
    requestCert: needsCertificate,
    rejectUnauthorized: needsCertificate,
  });
  onSecured(server, parts, (connection, protocol) => {
    if (http2 !== undefined && protocol === 'h2') http2.serveHttp2(connection, { bounds, connections, answering });
    else http1.emit('connection', connection.socket);
  });
  // Node checks the limits of an HTTP server only once it listens. This one never listens, it receives its connections
  // here.
  server.once('listening', () => http1.emit('listening'));
  server.once('close', () => http1.close());
  return { server, renew: () => server.setSecureContext(context()) };
}

/** Calls `secured` with each connection that completes its handshake in time, and with the negotiated protocol. */
function onSecured(
  server: Server,
  { bounds, connections }: TlsParts,
  secured: (connection: Connection, protocol: string | false | null) => void,
): void {
  const handshakes = new Map<string, Handshake>();
  server.on('connection', (socket: Socket) => {
    const connection = connections.add(socket);
    const name = nameOf(socket);
    const limit = setTimeout(() => connections.drop(connection), bounds.headersLimitMs);
    const handshake: Handshake = { socket, limit };
    handshakes.set(name, handshake);
    socket.once('close', () => {
      clearTimeout(limit);
      if (handshakes.get(name) === handshake) handshakes.delete(name);
    });
  });
  server.on('secureConnection', (tls) => {
    const name = nameOf(tls);
    const handshake = handshakes.get(name);
    if (handshake === undefined) {
      tls.destroy();
      return;
    }
    clearTimeout(handshake.limit);
    handshakes.delete(name);
    secured(connections.secure(handshake.socket, tls), tls.alpnProtocol);
  });
  server.on('tlsClientError', (_error, tls) => tls.destroy());
}

interface Handshake {
  readonly socket: Socket;
  readonly limit: NodeJS.Timeout;
}

/**
 * A key to find the TCP socket of a TLS socket: both have the same addresses, and Node does not expose the relation.
 */
function nameOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}
