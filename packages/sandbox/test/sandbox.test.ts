import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startSandbox } from '../src/sandbox.ts';
import { asking, openWatch, sandboxForTest } from './support/sandbox.ts';

describe('a sandbox', () => {
  it('listens on a free port of the loopback', async () => {
    const [one, two] = [await sandboxForTest(), await sandboxForTest()];

    expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(one.url).not.toBe(two.url);
  });

  it('its kubeconfig leads to it', async () => {
    const sandbox = await sandboxForTest();

    expect(parse(sandbox.kubeconfig())).toMatchObject({
      'current-context': 'sandbox',
      clusters: [{ cluster: { server: sandbox.url } }],
      users: [{ user: { token: sandbox.token } }],
    });
  });

  it('closing ends every connection at once, and may be done twice', async () => {
    const sandbox = await startSandbox();
    const watch = await openWatch(sandbox, '/api/v1/pods?watch=1');

    await sandbox.close();
    await sandbox.close();

    await expect(watch.nextLine()).rejects.toThrow('aborted');
    await expect(fetch(sandbox.url)).rejects.toThrow('fetch failed');
  });

  it('its port is free again', async () => {
    const first = await startSandbox();
    const port = Number(new URL(first.url).port);
    await first.close();

    await using second = await startSandbox({ port });

    expect(new URL(second.url).port).toBe(String(port));
  });

  it('a port that is taken is a failure to start', async () => {
    const sandbox = await sandboxForTest();

    await expect(startSandbox({ port: Number(new URL(sandbox.url).port) })).rejects.toThrow('EADDRINUSE');
  });

  it('its clock is the one it is given', async () => {
    const sandbox = await sandboxForTest({ now: () => 0 });

    expect((await asking(sandbox)('GET', '/api/v1/namespaces/default')).body).toMatchObject({
      metadata: { creationTimestamp: '1970-01-01T00:00:00Z' },
    });
  });
});
