import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports of 127.0.0.1 that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  // All are held until all are known, so that no port comes twice.
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
