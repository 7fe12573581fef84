import { describe, it } from 'vitest';

import { createKubeClient } from '../../src/kube/kube-client.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { json, startServer } from '../support/scripted-server.ts';
import { startStageRelay, type StageFault } from '../support/stage-relay.ts';

const FAULT_MS = 7000;
const FAULTS: readonly (readonly [string, StageFault])[] = [
  ['silent from the start', { type: 'silent', afterBytes: 0 }],
  ['silent in the handshake', { type: 'silent', afterBytes: 600 }],
  ['silent before the settings', { type: 'silent', afterClientPieces: 2 }],
  ['silent after them', { type: 'silent', afterClientPieces: 4 }],
  ['of a byte a second', { type: 'trickle' }],
];

const CASES = (['h2', 'https'] as const).flatMap((protocol) =>
  [false, true].flatMap((isProxied) => FAULTS.map(([name, fault]) => [protocol, isProxied, name, fault] as const)),
);

describe.concurrent('after connections fell silent', () => {
  it.for(CASES)(
    'a watch over %s, with a proxy: %s, follows again within 5 s of the last new connection that is %s',
    { timeout: 60_000 },
    async ([protocol, isProxied, , fault], { expect, onTestFinished }) => {
      const server = await startServer(
        (request, response) => {
          if (!request.url?.startsWith('/w')) return json(response, 200, {});
          response.writeHead(200);
          const events = setInterval(() => response.write(`${performance.now()}\n`), 100);
          response.once('close', () => clearInterval(events));
        },
        { protocol },
      );
      onTestFinished(async () => server.close());
      const proxy = isProxied ? await startConnectProxy() : undefined;
      onTestFinished(async () => proxy?.close());
      const relay = await startStageRelay(proxy === undefined ? server.port : Number(proxy.url.port));
      onTestFinished(async () => relay.close());
      const url = new URL(`https://127.0.0.1:${proxy === undefined ? relay.port : server.port}`);
      const via = proxy === undefined ? {} : { proxy: new URL(`http://127.0.0.1:${relay.port}`) };
      const client = createKubeClient({ ...server.cluster, ...via, server: url }, { userAgent: 'hooklet/test' });
      onTestFinished(async () => client.close());
      const controller = new AbortController();
      onTestFinished(() => controller.abort(new Error('the test is over')));
      const followed = follow(client, controller.signal);
      await expect.poll(() => followed.lastMs, { timeout: 5000, interval: 10 }).toBeGreaterThan(0);
      // HTTP/1.1 is watched by a connection of its own, which has to be there.
      await pause(1000);

      relay.begin(fault);
      await pause(FAULT_MS);
      const endedAtMs = performance.now();
      relay.end();
      await expect.poll(() => followed.lastMs, { timeout: 20_000, interval: 10 }).toBeGreaterThan(endedAtMs);

      expect(performance.now() - endedAtMs).toBeLessThan(5000);
    },
  );
});

/** Watches as the reflector does, with its longest pause; when the server sent the last event that came. */
function follow(client: KubeClient, signal: AbortSignal): { readonly lastMs: number } {
  const followed = { lastMs: 0 };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const lines = client.lines({ method: 'GET', path: '/w' }, { signal, idleTimeoutMs: 70_000 });
        for await (const line of lines) followed.lastMs = Number(Buffer.from(line).toString());
      } catch {
        await pause(2000);
      }
    }
  };
  void run();
  return followed;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
