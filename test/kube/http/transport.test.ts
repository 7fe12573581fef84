import { afterEach, describe, expect, it } from 'vitest';

import { readWhole } from '../../../src/kube/http/body.ts';
import type { HttpResponse } from '../../../src/kube/http/http.ts';
import { createTransport, type Transport, type TransportOptions } from '../../../src/kube/http/transport.ts';
import { createCertificate } from '../../support/certificate.ts';
import {
  startServer,
  type Answer,
  type ScriptedServer,
  type ScriptedServerOptions,
} from '../../support/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(answer: Answer, options?: ScriptedServerOptions): Promise<ScriptedServer> {
  const server = await startServer(answer, options);
  cleanups.push(() => server.close());
  return server;
}

function transportTo(server: ScriptedServer, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({ server: server.url, ...options });
  cleanups.push(async () => transport.close());
  return transport;
}

const never = new AbortController().signal;
const request = { method: 'GET', path: '/', headers: {} };
const version: Answer = (asked, response) => {
  response.writeHead(200);
  response.end(asked.httpVersion);
};
const text = async (response: HttpResponse): Promise<string> =>
  (await readWhole(response, { signal: never })).toString();

describe('a transport', () => {
  it.each([
    ['h2', {}, '2.0'],
    ['h2', { http2: false }, '1.1'],
    ['https', {}, '1.1'],
    ['http', {}, '1.1'],
  ] as const)('to a server that speaks %s, with %j, speaks HTTP/%s', async (protocol, options, expected) => {
    const server = await serve(version, { protocol });
    const transport = transportTo(server, options);
    const tls = { ca: server.certificate.cert };

    const first = await text(await transport.send(request, tls, never));
    const second = await text(await transport.send(request, tls, never));

    expect([first, second]).toEqual([expected, expected]);
    expect(server.connections()).toBe(1);
  });

  it('asks for the protocol once, however many requests wait for it', async () => {
    const server = await serve(version, { protocol: 'h2' });
    const transport = transportTo(server);
    const tls = { ca: server.certificate.cert };

    await Promise.all(Array.from({ length: 20 }, async () => text(await transport.send(request, tls, never))));

    expect(server.connections()).toBe(1);
  });

  it.each(['h2', 'https'] as const)(
    'uses a new certificate for new connections over %s, and lets old streams finish',
    async (protocol) => {
      const old = createCertificate({ commonName: 'old' });
      const renewed = createCertificate({ commonName: 'renewed' });
      let finish = (): unknown => undefined;
      const server = await serve(
        (asked, response) => {
          response.writeHead(200);
          const { socket } = asked;
          const name = 'getPeerX509Certificate' in socket ? socket : undefined;
          const subject = (name as { getPeerX509Certificate(): { subject: string } }).getPeerX509Certificate().subject;
          if (asked.url !== '/w') response.end(subject);
          else {
            response.write('begin ');
            finish = () => response.end(subject);
          }
        },
        { protocol, clientAuthority: old.cert + renewed.cert },
      );
      const transport = transportTo(server);
      const ca = server.certificate.cert;

      const stream = await transport.send({ ...request, path: '/w' }, { ca, ...old }, never);
      const after = await text(await transport.send(request, { ca, ...renewed }, never));
      finish();

      expect(after).toBe('CN=renewed');
      expect(await text(stream)).toBe('begin CN=old');
      await expect.poll(() => server.sockets.size, { timeout: 15_000, interval: 10 }).toBe(1);
    },
  );

  it('tries again to connect after a failure', async () => {
    const gone = await startServer(version, { protocol: 'h2' });
    await gone.close();
    const transport = transportTo(gone);
    const tls = { ca: gone.certificate.cert };
    await expect(transport.send(request, tls, never)).rejects.toMatchObject({ code: 'ECONNREFUSED' });

    await expect(transport.send(request, tls, never)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('takes nothing after it is closed', async () => {
    const server = await serve(version);
    const transport = transportTo(server);
    transport.close();

    await expect(transport.send(request, {}, never)).rejects.toThrow('the client is closed');
  });
});
