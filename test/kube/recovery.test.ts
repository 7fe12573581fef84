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

const WAYS = (['h2', 'https'] as const).flatMap((protocol) =>
  [false, true].map((isProxied) => ({ protocol, isProxied })),
);

describe.concurrent('after connections fell silent', () => {
  it.for(WAYS)(
    'a watch over $protocol, with a proxy: $isProxied, follows again within 5 s of the last connection that stalls, at whichever stage',
    { timeout: 60_000 },
    async (way, { expect, onTestFinished }) => {
      const ends = new AsyncDisposableStack();
      onTestFinished(async () => ends.disposeAsync());

      const recoveries = await Promise.all(
        FAULTS.map(async ([name, fault]) => [name, await recoveryMs(way, fault, ends)] as const),
      );

      for (const [name, ms] of recoveries) expect(ms, name).toBeLessThan(5000);
    },
  );
});

/** The time from the end of a fault until the first event arrives that was sent after it. */
async function recoveryMs(
  { protocol, isProxied }: Way,
  fault: StageFault,
  ends: AsyncDisposableStack,
): Promise<number> {
  const server = await startServer(
    (request, response) => {
      if (!request.url?.startsWith('/w')) return json(response, 200, {});
      response.writeHead(200);
      const events = setInterval(() => response.write(`${performance.now()}\n`), 100);
      response.once('close', () => clearInterval(events));
    },
    { protocol },
  );
  ends.defer(async () => server.close());
  const proxy = isProxied ? await startConnectProxy() : undefined;
  ends.defer(async () => proxy?.close());
  const relay = await startStageRelay(proxy === undefined ? server.port : Number(proxy.url.port));
  ends.defer(async () => relay.close());
  const url = new URL(`https://127.0.0.1:${proxy === undefined ? relay.port : server.port}`);
  const via = proxy === undefined ? {} : { proxy: new URL(`http://127.0.0.1:${relay.port}`) };
  const client = createKubeClient({ ...server.cluster, ...via, server: url }, { userAgent: 'hooklet/test' });
  ends.defer(async () => client.close());
  const controller = new AbortController();
  ends.defer(() => controller.abort(new Error('the test is over')));
  const followed = follow(client, controller.signal);
  // HTTP/1.1 is monitored through a separate connection, which must be open first.
  await until(() => followed.lastMs > 0);
  await pause(1000);

  relay.begin(fault);
  await pause(FAULT_MS);
  const endedAtMs = performance.now();
  relay.end();
  await until(() => followed.lastMs > endedAtMs);
  return performance.now() - endedAtMs;
}

type Way = (typeof WAYS)[number];

async function until(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + 20_000;
  while (!isSo() && performance.now() < endMs) await pause(10);
}

/** Watches as the reflector does, with its longest delay; returns when the server sent the last event that arrived. */
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
