import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createCertificate } from '../support/certificate.ts';

/** The ServiceAccount files of a Pod, and an API server for them. */
export interface PodAccount extends Disposable {
  readonly env: Readonly<Record<string, string>>;
}

/** Answers each request, such as `GET /api/v1/namespaces/default/pods`, with a status and an object. */
export async function startPodAccount(
  folder: string,
  answer: (request: string) => readonly [status: number, body: object],
): Promise<PodAccount> {
  const { cert, key } = createCertificate();
  const accountDir = join(folder, 'account');
  mkdirSync(accountDir);
  writeFileSync(join(accountDir, 'token'), 'secret\n');
  writeFileSync(join(accountDir, 'ca.crt'), cert);
  const server = createServer({ cert, key }, (request, response) => {
    const isKnown = request.headers.authorization === 'Bearer secret';
    const [status, body] = isKnown ? answer(`${request.method} ${request.url}`) : [401, {}];
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(port),
      REPAIR_ACCOUNT_DIR: accountDir,
    },
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
