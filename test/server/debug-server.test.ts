import { statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { controlClient } from '../../src/cli/control/client.ts';
import { createControlServer } from '../../src/server/control-server.ts';
import { createDebugServer } from '../../src/server/debug-server.ts';
import { fakeDebugView } from '../support/fake-debug-view.ts';
import { fakeSchedules, scheduleStatus } from '../support/fake-schedules.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

async function port(address = '127.0.0.1') {
  const [view, log] = [fakeDebugView(), recordingLogger()];
  const server = await createDebugServer({ address, port: 0, view, log });
  onTestFinished(async () => server.close());
  return { view, log, url: `http://127.0.0.1:${server.port}`, port: server.port };
}

async function socket() {
  const folder = temporaryFolder();
  const [view, log] = [fakeDebugView(), recordingLogger()];
  const path = join(folder.path, 'run', 'debug.socket');
  const schedules = fakeSchedules(scheduleStatus());
  const server = await createControlServer({
    path,
    isRequired: true,
    schedules,
    debug: view,
    refusal: () => undefined,
    log,
  });
  onTestFinished(async () => {
    await server.close();
    folder[Symbol.dispose]();
  });
  return { view, path, client: controlClient(path) };
}

describe('the debug API on the socket', () => {
  it('is for its user alone', async () => {
    const { path } = await socket();

    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is beside what hooklet asks', async () => {
    const { client } = await socket();

    expect((await client.fetch({ path: '/' })).toString()).toBe('debug endpoint is alive');
    expect(await client.ask('GET', '/schedules')).toMatchObject({ schedules: [{ binding: 'nightly' }] });
  });

  it('takes a form', async () => {
    const { client, view } = await socket();
    await client.fetch({ path: '/config/set', form: { name: 'log.level', value: 'debug', duration: '10s' } });

    expect(view.set).toEqual(['debug 10000']);
    await expect(client.fetch({ path: '/config/set', form: { name: 'x' } })).rejects.toThrow(
      'unknown runtime parameter',
    );
    await expect(client.fetch({ path: '/hook/x/y' })).rejects.toThrow('404 page not found');
  });

  it('refuses a form that is too large', async () => {
    const { client, view } = await socket();
    const form = { name: 'log.level', value: 'x'.repeat(20_000) };

    await expect(client.fetch({ path: '/config/set', form })).rejects.toThrow();
    expect(view.set).toEqual([]);
  });

  it('gives profiles in the formats of V8, one at a time', async () => {
    const { client } = await socket();
    const cpu = client.fetch({ path: '/debug/pprof/profile?seconds=1' });
    await expect(client.fetch({ path: '/debug/pprof/heap?seconds=1' })).rejects.toThrow('another profile is taken now');

    expect(JSON.parse((await cpu).toString())).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
    const heap = await client.fetch({ path: '/debug/pprof/heap?seconds=1' });
    expect(JSON.parse(heap.toString())).toMatchObject({ head: { callFrame: expect.any(Object) } });
  });

  it.each(['0', '51', 'x', '1.5', ''])('no profile takes %j seconds', async (seconds) => {
    const { client } = await socket();

    await expect(client.fetch({ path: `/debug/pprof/profile?seconds=${seconds}` })).rejects.toThrow('from 1 to 50');
  });

  it('says where profiles are', async () => {
    const { client } = await socket();

    expect((await client.fetch({ path: '/debug/pprof/' })).toString()).toContain('hooklet raw');
    await expect(client.fetch({ path: '/debug/pprof/goroutine' })).rejects.toThrow('Profiles of Go do not exist here');
  });
});

describe('the debug API on a port', () => {
  it('answers without a password, and says at the start where', async () => {
    const { url, log, view } = await port();

    expect(await (await fetch(`${url}/hook/list.json`)).json()).toEqual(['a.sh', 'db/a b.sh']);
    const set = await fetch(`${url}/config/set`, { method: 'POST', body: 'name=log.level&value=debug' });
    expect([set.status, view.set]).toEqual([200, ['debug undefined']]);
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([['info', 'serving the debug API']]);
  });

  it('warns where others may reach it', async () => {
    const { log } = await port('0.0.0.0');

    expect(log.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('open to everyone') }]);
  });

  it('has nothing of what hooklet asks', async () => {
    const { url } = await port();

    for (const path of ['/schedules', '/status', '/runs']) expect((await fetch(`${url}${path}`)).status).toBe(404);
  });

  it.each([
    [{ host: 'evil.example:9650' }],
    [{ origin: 'http://evil.example' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-origin' }],
  ])('on loopback answers no web page: %j', async (headers) => {
    const { port: number, view } = await port();
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request({ port: number, method: 'POST', path: '/config/set', headers }, (response) => {
      text(response).then(() => resolve(response.statusCode), reject);
    })
      .on('error', reject)
      .end('name=log.level&value=debug');

    expect(await promise).toBe(403);
    expect(view.set).toEqual([]);
  });
});
