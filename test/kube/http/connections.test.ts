import { afterEach, describe, expect, it } from 'vitest';

import { readWhole } from '../../../src/kube/http/body.ts';
import { openConnections } from '../../../src/kube/http/connections.ts';
import { startServer, type ScriptedServer } from '../../support/scripted-server.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const never = new AbortController().signal;

async function connectTo(server: ScriptedServer, onProtocolChange: () => void = () => {}) {
  const connections = await openConnections({
    server: server.url,
    tls: { ca: server.certificate.cert },
    onProtocolChange,
    signal: never,
  });
  cleanups.push(async () => connections.close());
  return async () => {
    const response = await connections.send({ method: 'GET', path: '/', headers: {} }, never);
    return (await readWhole(response, { signal: never })).toString();
  };
}

describe('openConnections', () => {
  it.each([
    ['h2', '2.0'],
    ['https', '1.1'],
    ['http', '1.1'],
  ] as const)('speaks with a server of %s what it chose, over the connection that asked', async (protocol, version) => {
    const server = await startServer((asked, response) => response.end(asked.httpVersion), { protocol });
    cleanups.push(() => server.close());

    const ask = await connectTo(server);

    expect([await ask(), await ask()]).toEqual([version, version]);
    expect(server.connections()).toBe(1);
  });

  it('fails when nobody listens', async () => {
    const server = await startServer((_, response) => response.end(), { protocol: 'h2' });
    await server.close();

    await expect(connectTo(server)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
