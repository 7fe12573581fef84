import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import { eventually } from '../../lib/deadline.ts';
import { portOf, timedOut } from './http.ts';

export interface TunnelOptions {
  readonly proxy: URL;
  readonly server: URL;
  /** Limit for the complete response of the proxy. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Opens a tunnel to `server` through the proxy at the other end of `socket`; rejects when the proxy refuses. */
export async function openTunnel(socket: Socket, { proxy, server, limitMs, signal }: TunnelOptions): Promise<Socket> {
  const target = `${server.hostname}:${portOf(server)}`;
  const asked = request({
    createConnection: () => socket,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...authorization(proxy) },
  });
  const late = (): never => {
    asked.destroy();
    throw timedOut(`proxy ${proxy.host} did not open a tunnel to ${target} in time`);
  };
  const refusal = (response: IncomingMessage): Error =>
    new Error(`proxy ${proxy.host} refused a tunnel to ${target}: ${statusLine(response)}`);
  // This listener stays: an error after the wait is over must not be unhandled.
  asked.on('error', () => {});
  return eventually<Socket>({ limitMs, late, signal }, ({ resolve, reject }) => {
    asked.once('connect', (response, tunnel: Socket, head) => {
      if (response.statusCode === 200) {
        if (head.length > 0) tunnel.unshift(head);
        resolve(tunnel);
        return;
      }
      tunnel.destroy();
      reject(refusal(response));
    });
    asked.once('response', (response) => {
      response.destroy();
      reject(refusal(response));
    });
    asked.once('error', reject);
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
