/*
 * Opens one connection to the API server: TCP, then a tunnel if there is a proxy, then TLS for https. Callers are
 * `connections.ts`, which negotiates the protocol, `DialAgent` and `SessionPool`; they start a second attempt beside a
 * slow one, so an attempt must end when its signal aborts and leave no socket behind. All steps of an attempt share one
 * deadline of 10 s.
 */

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { eventually } from '../../lib/deadline.ts';
import type { TlsOptions } from './tls-options.ts';
import { portOf, timedOut } from './http.ts';
import { openTunnel } from './proxy-tunnel.ts';

/**
 * One limit for TCP, the tunnel and TLS together, so that a peer that sends a byte a second cannot block an attempt.
 */
export const CONNECT_TIMEOUT_MS = 10_000;
/** After this long a second attempt is started beside the first. */
export const HEDGE_MS = 1500;
const TCP_KEEP_ALIVE_MS = 15_000;

export interface ConnectOptions {
  readonly server: URL;
  readonly proxy?: URL | undefined;
  readonly tls: TlsOptions;
  /** The ALPN protocols to offer over TLS, such as `h2`; empty for none. */
  readonly protocols: readonly string[];
  /** Ends the attempt. */
  readonly signal?: AbortSignal | undefined;
}

/** An open connection to the server. */
export interface Wire {
  /** The socket to use: the TCP socket, or the TLS socket on top of it. */
  readonly socket: Socket;
  /** The TCP socket underneath. Destroying it always closes the connection, even while an upper layer waits. */
  readonly tcp: Socket;
}

/** The signal and the deadline that all steps of one attempt share. */
interface Step {
  readonly signal: AbortSignal | undefined;
  leftMs(): number;
}

/**
 * Opens a connection to the server, through the proxy if there is one, with TLS if the scheme is https. Rejects with
 * the socket's error, with ETIMEDOUT after 10 s, or with the signal's reason.
 */
export async function connect(options: ConnectOptions): Promise<Wire> {
  const { server, proxy, signal } = options;
  const endsAtMs = performance.now() + CONNECT_TIMEOUT_MS;
  const step: Step = { signal, leftMs: () => Math.max(0, endsAtMs - performance.now()) };
  signal?.throwIfAborted();
  const hop = proxy ?? server;
  const tcp = quiet(connectTcp({ host: hostOf(hop), port: portOf(hop), noDelay: true }));
  tcp.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  try {
    await ready(tcp, 'connect', hop, step);
    const open = proxy === undefined ? tcp : await tunnel(tcp, proxy, server, step);
    return { tcp, socket: server.protocol === 'https:' ? await secure(open, server, options, step) : open };
  } catch (error) {
    tcp.destroy();
    throw error;
  }
}

/** Closes both layers of `wire`: the TLS layer alone may wait for a write that never ends. */
export function destroyWire({ socket, tcp }: Wire): void {
  socket.destroy();
  tcp.destroy();
}

async function tunnel(tcp: Socket, proxy: URL, server: URL, step: Step): Promise<Socket> {
  const hop = proxy.protocol === 'https:' ? await secure(tcp, proxy, { tls: {}, protocols: [] }, step) : tcp;
  return openTunnel(hop, { proxy, server, limitMs: step.leftMs(), signal: step.signal });
}

/** The host of `url`, without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

async function secure(
  tcp: Socket,
  url: URL,
  { tls, protocols }: Pick<ConnectOptions, 'tls' | 'protocols'>,
  step: Step,
): Promise<Socket> {
  const { servername = isIP(hostOf(url)) === 0 ? hostOf(url) : undefined, ...rest } = tls;
  const files = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
  );
  const socket = connectTls({
    ...files,
    socket: tcp,
    // TLS checks this name against the certificate, also when it is an IP address.
    host: hostOf(url),
    ...(servername === undefined ? {} : { servername }),
    ...(protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] }),
  });
  return ready(quiet(socket), 'secureConnect', url, step);
}

/** An error that arrives after the wait is over must not be unhandled. */
function quiet<S extends Socket>(socket: S): S {
  return socket.on('error', () => {});
}

async function ready(socket: Socket, event: 'connect' | 'secureConnect', url: URL, step: Step): Promise<Socket> {
  const late = (): never => {
    socket.destroy();
    throw timedOut('no connection within 10 s');
  };
  return eventually<Socket>({ limitMs: step.leftMs(), late, signal: step.signal }, ({ resolve, reject }) => {
    const succeed = (): void => resolve(socket);
    const hungUp = (): void => {
      reject(Object.assign(new Error(`${url.host} closed the connection while connecting`), { code: 'ECONNRESET' }));
    };
    socket.once(event, succeed).once('error', reject).once('close', hungUp);
    return () => socket.off(event, succeed).off('error', reject).off('close', hungUp);
  });
}
