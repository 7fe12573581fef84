import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { portOf } from './http1.ts';

const TUNNEL_TIMEOUT_MS = 10_000;

/** Asks the proxy at the other end of `socket` for a tunnel to `server`. */
export function openTunnel(socket: Socket, proxy: URL, server: URL): Promise<Socket> {
  const target = `${server.hostname}:${portOf(server)}`;
  return new Promise<Socket>((resolve, reject) => {
    const asked = request({
      createConnection: () => socket,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...authorization(proxy) },
      timeout: TUNNEL_TIMEOUT_MS,
    });
    asked.once('connect', (response, tunnel: Socket, head) => {
      if (response.statusCode === 200) {
        tunnel.setTimeout(0);
        if (head.length > 0) tunnel.unshift(head);
        resolve(tunnel);
        return;
      }
      tunnel.destroy();
      reject(new Error(`proxy ${proxy.host} refused a tunnel to ${target}: ${statusLine(response)}`));
    });
    asked.once('response', (response) => {
      response.destroy();
      reject(new Error(`proxy ${proxy.host} refused a tunnel to ${target}: ${statusLine(response)}`));
    });
    asked.once('timeout', () => {
      asked.destroy(new Error(`proxy ${proxy.host} did not open a tunnel to ${target} within 10 s`));
    });
    asked.on('error', reject);
    asked.end();
  });
}

function statusLine({ statusCode = 0, statusMessage = '' }: IncomingMessage): string {
  return `${statusCode} ${statusMessage}`.trim();
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
