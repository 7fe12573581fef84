import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

// Below those that the kernel hands out by itself: a port that it would give to somebody else meanwhile is not free.
const LEAST_PORT = 20_000;
const END_OF_PORTS = 32_768;

/** Ports of 127.0.0.1 that nobody listens on. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(LEAST_PORT, END_OF_PORTS);
    const server = createServer();
    if (!(await listens(server, port))) continue;
    servers.push(server);
    ports.push(port);
  }
  // All are held until all are known, so that no port comes twice.
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

async function listens(server: Server, port: number): Promise<boolean> {
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}
