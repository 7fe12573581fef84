import { request, type Agent } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { isValidAt } from '../../../src/server/certificates/pem.ts';

export interface Call {
  readonly port: number;
  readonly agent: Agent;
  /** PEM. */
  readonly ca: string;
  /** The time of the API server, by which the certificate must be valid. */
  readonly nowMs: number;
}

/** Sends one review as the API server does, and resolves when it is answered; rejects when the certificate is refused. */
export async function review({ port, agent, ca, nowMs }: Call): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const out = request({
    host: '127.0.0.1',
    port,
    path: '/hooks/test',
    method: 'POST',
    agent,
    ca,
    servername: 'hooks.default.svc',
  });
  out.on('error', reject);
  out.on('response', (response) => {
    if (!isTls(response.socket)) return;
    const validity = out.reusedSocket ? undefined : response.socket.getPeerX509Certificate();
    const isValid = validity === undefined || isValidAt(validity, nowMs);
    response.resume();
    response.on('error', reject);
    response.on('end', () => {
      if (!isValid) reject(new Error(`valid from ${validity?.validFrom} to ${validity?.validTo}`));
      else if (response.statusCode === 200) resolve();
      else reject(new Error(`status ${response.statusCode}`));
    });
  });
  out.end('{}');
  return promise;
}

function isTls(socket: unknown): socket is TLSSocket {
  return typeof socket === 'object' && socket !== null && 'getPeerX509Certificate' in socket;
}
