import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

import type { TlsOptions } from './cluster.ts';
import { portOf } from './http1.ts';
import { openTunnel } from './proxy-tunnel.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const TCP_KEEP_ALIVE_MS = 15_000;

export interface ConnectOptions {
  readonly server: URL;
  readonly proxy?: URL | undefined;
  readonly tls: TlsOptions;
  /** What to offer over TLS, such as `h2`. */
  readonly protocols: readonly string[];
}

/** Opens a socket to the server, through the proxy where there is one, with TLS where the scheme says so. */
export async function connect(options: ConnectOptions): Promise<Socket> {
  const { server, proxy } = options;
  const tcp = proxy === undefined ? await dial(server) : await openTunnel(await dialProxy(proxy), proxy, server);
  if (server.protocol !== 'https:') return tcp;
  return secure(tcp, server, options);
}

async function dialProxy(proxy: URL): Promise<Socket> {
  const socket = await dial(proxy);
  return proxy.protocol === 'https:' ? secure(socket, proxy, { tls: {}, protocols: [] }) : socket;
}

/** The host of `url` without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

async function dial(url: URL): Promise<Socket> {
  const socket = connectTcp({ host: hostOf(url), port: portOf(url), noDelay: true });
  socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  return ready(socket, 'connect', url);
}

async function secure(
  tcp: Socket,
  url: URL,
  { tls, protocols }: Pick<ConnectOptions, 'tls' | 'protocols'>,
): Promise<TLSSocket> {
  const { servername = isIP(hostOf(url)) === 0 ? hostOf(url) : undefined, ...rest } = tls;
  const files = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value) : value]),
  );
  const socket = connectTls({
    ...files,
    socket: tcp,
    // The name is checked against the certificate, also where it is an address.
    host: hostOf(url),
    ...(servername === undefined ? {} : { servername }),
    ...(protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] }),
  });
  return ready(socket, 'secureConnect', url);
}

function ready<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', url: URL): Promise<S> {
  return new Promise<S>((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy(Object.assign(new Error(`no connection within 10 s`), { code: 'ETIMEDOUT' }));
    }, CONNECT_TIMEOUT_MS);
    const stop = (): void => {
      clearTimeout(timer);
      socket.off(event, succeed).off('error', fail).off('close', hungUp);
    };
    const succeed = (): void => {
      stop();
      resolve(socket);
    };
    const fail = (error: Error): void => {
      stop();
      reject(error);
    };
    const hungUp = (): void => {
      fail(Object.assign(new Error(`${url.host} hung up while connecting`), { code: 'ECONNRESET' }));
    };
    socket.once(event, succeed).once('error', fail).once('close', hungUp);
  });
}
