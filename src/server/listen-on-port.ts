import type { Server } from 'node:net';
import { UsageError } from '../errors.ts';
import { eventually } from '../lib/deadline.ts';

/** A port to listen on. */
export interface Port {
  readonly address: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The flags that set them, for errors. */
  readonly flags: { readonly address: string; readonly port: string };
}

/** Limit, because the address may be a name and a DNS server may not answer. */
const LISTEN_LIMIT_MS = 10_000;

/** Makes `server` listen, and returns the port; rejects with `UsageError` when it cannot. */
export async function listenOnPort(server: Server, { address, port, flags }: Port): Promise<number> {
  const where = `${address}:${port}`;
  const late = (): never => {
    server.close();
    throw new UsageError(`cannot listen on ${where}: the name was not resolved within ${LISTEN_LIMIT_MS / 1000} s`);
  };
  await eventually<void>({ limitMs: LISTEN_LIMIT_MS, late }, ({ resolve, reject }) => {
    const fail = (error: Error): void => reject(listenError(error, where, flags));
    server.once('error', fail);
    // As in Go, 0.0.0.0 includes IPv6: a Pod may have only an IPv6 address.
    server.listen({ host: address === '0.0.0.0' ? undefined : address, port }, () => {
      server.off('error', fail);
      resolve();
    });
    return undefined;
  });
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

function listenError(error: Error, where: string, flags: Port['flags']): UsageError {
  const code = 'code' in error ? error.code : undefined;
  const problem = problemOf(code, flags) ?? error.message;
  return new UsageError(`cannot listen on ${where}: ${problem}`, { cause: error });
}

function problemOf(code: unknown, { address, port }: Port['flags']): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `another process listens there; stop it, or choose another port with ${port}`;
    case 'EACCES':
      return `that port is not permitted; choose one above 1023 with ${port}`;
    case 'EADDRNOTAVAIL':
      return `this machine has no such address; choose another with ${address}`;
    case 'ENOTFOUND':
      return `there is no such host; give an IP address of this machine with ${address}`;
    default:
      return undefined;
  }
}
