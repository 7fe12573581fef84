import { TLSSocket } from 'node:tls';

import { afterEach, describe, expect, it } from 'vitest';

import { connect } from '../../../src/kube/http/connect.ts';
import { createCertificate } from '../../support/certificate.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { startServer, type ScriptedServer, type ScriptedServerOptions } from '../../support/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const server = await startServer(() => {}, options);
  cleanups.push(() => server.close());
  return server;
}

describe('connect', () => {
  it('offers the protocols and takes the one the server chooses', async () => {
    const server = await serve({ protocol: 'h2' });

    const { socket } = await connect({
      server: server.url,
      tls: { ca: server.certificate.cert },
      protocols: ['h2', 'http/1.1'],
    });

    expect(socket instanceof TLSSocket && socket.alpnProtocol).toBe('h2');
    socket.destroy();
  });

  it('refuses a certificate for another name', async () => {
    const certificate = createCertificate({ names: ['elsewhere.example'] });
    const server = await serve({ protocol: 'https', certificate });

    const connected = connect({ server: server.url, tls: { ca: certificate.cert }, protocols: [] });

    await expect(connected).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('accepts a certificate for the configured server name', async () => {
    const certificate = createCertificate({ names: ['elsewhere.example'] });
    const server = await serve({ protocol: 'https', certificate });

    const { socket } = await connect({
      server: server.url,
      tls: { ca: certificate.cert, servername: 'elsewhere.example' },
      protocols: [],
    });

    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  it('accepts any certificate when verification is off', async () => {
    const server = await serve({ protocol: 'https' });

    const { socket } = await connect({ server: server.url, tls: { rejectUnauthorized: false }, protocols: [] });

    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  it('shows a client certificate', async () => {
    const client = createCertificate({ commonName: 'me' });
    const server = await serve({ protocol: 'https', clientAuthority: client.cert });

    const { socket } = await connect({
      server: server.url,
      tls: { ca: server.certificate.cert, ...client },
      protocols: [],
    });

    expect(socket.destroyed).toBe(false);
    socket.destroy();
  });

  it.each(['http', 'https', 'h2'] as const)('goes through a proxy to an %s server', async (protocol) => {
    const server = await serve({ protocol });
    const proxy = await startConnectProxy();
    cleanups.push(() => proxy.close());

    const { socket } = await connect({
      server: server.url,
      proxy: proxy.url,
      tls: { ca: server.certificate.cert },
      protocols: [],
    });

    expect(proxy.tunnels).toEqual([`127.0.0.1:${server.port}`]);
    socket.destroy();
  });
});
