import { describe, expect, it } from 'vitest';
import { startSandbox, type ObservedWrite, type TappedEvent } from '../src/index.ts';

const NAME = { name: 'a', namespace: 'default' };
const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAME };
const PATH = '/api/v1/namespaces/default/configmaps';
const asked = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });

describe('what stands between the sandbox and those who ask it', () => {
  it('hears of each write with who asked, and of what it changed', async () => {
    const writes: ObservedWrite[] = [];
    const callerOf = (token: string) => (token === 'secret' ? 'jane' : undefined);
    await using sandbox = await startSandbox({ callerOf, onWrite: (write) => writes.push(write) });
    const post = { method: 'POST', path: PATH, headers: asked('secret'), body: JSON.stringify(MAP) };
    expect((await sandbox.send(post)).status).toBe(201);
    expect((await sandbox.send(post)).status).toBe(409);
    expect((await sandbox.send({ ...post, headers: asked('other') })).status).toBe(401);
    expect((await sandbox.send({ ...post, path: `${PATH}?dryRun=All` })).status).toBe(409);
    expect(writes).toMatchObject([
      { caller: 'jane', verb: 'create', kind: 'ConfigMap', ...NAME, code: 201, isChange: true, after: MAP },
      { caller: 'jane', verb: 'create', code: 409, isChange: false },
    ]);
  });

  it('refuses a request, or loses its answer after it was carried out', async () => {
    const verdicts = [{ refuse: 429 }, { isAnswerLost: true }];
    await using sandbox = await startSandbox({ anonymous: true, onRequest: () => verdicts.shift() });
    const post = { method: 'POST', path: PATH, headers: {}, body: JSON.stringify(MAP) };
    expect((await sandbox.send(post)).status).toBe(429);
    await expect(sandbox.send(post)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await sandbox.send({ method: 'GET', path: `${PATH}/a` })).status).toBe(200);
    expect(sandbox.unanswered).toBe(0);
  });

  it('holds an event of a watch until it is sent', async () => {
    const events: TappedEvent[] = [];
    await using sandbox = await startSandbox({ anonymous: true, onEvent: (event) => events.push(event) });
    const version = sandbox.resourceVersion;
    const watch = await sandbox.send({ method: 'GET', path: `${PATH}?watch=true&resourceVersion=${version}` });
    let received = '';
    watch.body.on('data', (chunk: Buffer) => (received += chunk.toString()));
    await sandbox.apply(MAP);
    expect(events).toMatchObject([{ type: 'ADDED', object: MAP }]);
    expect(received).toBe('');
    events[0]?.send();
    await expect.poll(() => received).toContain('"type":"ADDED"');
    watch.cancel();
  });

  it('tells the path of an object, and of a kind that it does not serve', async () => {
    await using sandbox = await startSandbox({ anonymous: true });
    expect(sandbox.pathOf(MAP)).toBe(`${PATH}/a`);
    expect(() => sandbox.pathOf({ ...MAP, kind: 'Mapp' })).toThrow('no kind "Mapp"');
  });
});
