import { connect } from 'node:net';

import { afterEach, describe, expect, it } from 'vitest';

import { openTunnel } from '../../../src/kube/http/proxy-tunnel.ts';
import { startConnectProxy, type ConnectProxy } from '../../support/connect-proxy.ts';
import { startServer, type ScriptedServer } from '../../support/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(options?: { readonly refuse: string }): Promise<[ScriptedServer, ConnectProxy]> {
  const server = await startServer((_request, response) => response.end('hello'));
  const proxy = await startConnectProxy(options);
  cleanups.push(
    () => server.close(),
    () => proxy.close(),
  );
  return [server, proxy];
}

const dial = ({ url }: ConnectProxy) => connect(Number(url.port), url.hostname);

describe('openTunnel', () => {
  it('gives a socket that ends at the server', async () => {
    const [server, proxy] = await start();

    const tunnel = await openTunnel(dial(proxy), { proxy: proxy.url, server: server.url, limitMs: 10_000 });
    tunnel.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of tunnel) chunks.push(chunk);

    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1.1 200 OK[^]*hello/);
  });

  it('shows the name and password of the proxy address', async () => {
    const [server, proxy] = await start();
    const url = new URL(proxy.url);
    url.username = 'us%3Aer';
    url.password = 'pa%40ss';

    const tunnel = await openTunnel(dial(proxy), { proxy: url, server: server.url, limitMs: 10_000 });
    tunnel.destroy();

    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('us:er:pa@ss').toString('base64')}`]);
  });

  it('reports what the proxy answered instead', async () => {
    const [server, proxy] = await start({ refuse: '407 Proxy Authentication Required' });

    const tunnel = openTunnel(dial(proxy), { proxy: proxy.url, server: server.url, limitMs: 10_000 });

    await expect(tunnel).rejects.toThrow(
      `proxy ${proxy.url.host} refused a tunnel to 127.0.0.1:${server.port}: 407 Proxy Authentication Required`,
    );
  });
});
