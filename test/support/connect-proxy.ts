import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** An HTTP proxy that opens tunnels and records them. */
export interface ConnectProxy {
  readonly url: URL;
  readonly tunnels: readonly string[];
  /** The Proxy-Authorization of each tunnel. */
  readonly authorizations: readonly (string | undefined)[];
  close(): Promise<void>;
}

/** Starts a proxy; with `refuse` it answers every tunnel with that status line. */
export async function startConnectProxy({ refuse }: { readonly refuse?: string } = {}): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const open = new Set<Duplex>();
  const keep = (socket: Duplex): void => {
    open.add(socket.on('error', () => {}).once('close', () => open.delete(socket)));
  };
  const server = createServer().on('connect', (request, near) => {
    const [host = '', port = ''] = (request.url ?? '').split(':');
    tunnels.push(request.url ?? '');
    authorizations.push(request.headers['proxy-authorization']);
    keep(near);
    if (refuse !== undefined) {
      near.end(`HTTP/1.1 ${refuse}\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const far = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.pipe(near).pipe(far);
    });
    keep(far);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    tunnels,
    authorizations,
    async close() {
      for (const socket of open) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
