import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';

/** When the certificate of a server expires; `undefined` when it presents none. */
export async function certificateEnd(url: URL, timeoutMs: number): Promise<string | undefined> {
  return (await presentedCertificate(url, AbortSignal.timeout(timeoutMs)))?.validTo;
}

/** The certificate that a server presents, valid or not; `undefined` when it presents none before the signal aborts. */
export async function presentedCertificate(
  { hostname, port }: URL,
  signal: AbortSignal,
): Promise<X509Certificate | undefined> {
  const { promise, resolve } = Promise.withResolvers<X509Certificate | undefined>();
  const server = { host: hostname, port: Number(port), ...(isIP(hostname) === 0 && { servername: hostname }) };
  const socket = connect({ ...server, rejectUnauthorized: false });
  const end = (): void => resolve(undefined);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()));
  socket.on('error', end);
  return promise.finally(() => {
    signal.removeEventListener('abort', end);
    socket.destroy();
  });
}
