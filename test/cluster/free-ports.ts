import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

// Below the ephemeral ports of the kernel, which could be given to another process meanwhile.
const LEAST_PORT = 20_000;
const END_OF_PORTS = 32_768;

/** Ports of 127.0.0.1 on which nothing listens. */
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
  // All ports are held until all are known, so that none is returned twice.
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
