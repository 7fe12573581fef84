import { connect } from 'node:tls';

/** When the certificate of a server expires; `undefined` when it presents none. */
export async function certificateEnd({ hostname, port }: URL, timeoutMs: number): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  const deadline = setTimeout(() => resolve(undefined), timeoutMs);
  socket.once('secureConnect', () => resolve(socket.getPeerCertificate().valid_to));
  socket.once('error', () => resolve(undefined));
  return promise.finally(() => {
    clearTimeout(deadline);
    socket.destroy();
  });
}
