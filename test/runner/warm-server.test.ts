import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeMessage } from '../../src/runner/messages.ts';
import type { WarmReport } from '../../src/runner/warm-protocol.ts';
import { WarmServer } from '../../src/runner/warm-server.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

/** A server that expects `secret`, and what it reported about that process. */
async function serverRig(helloLimitMs?: number) {
  const folder = temporaryFolder();
  const server = new WarmServer(folder.path, helloLimitMs);
  await server.open();
  const bad = Promise.withResolvers<string>();
  const reports: WarmReport[] = [];
  const first = Promise.withResolvers<WarmReport>();
  const greeted = Promise.withResolvers<void>();
  server.expect('secret', {
    onConnect: () => greeted.resolve(),
    onReport: (report) => {
      reports.push(report);
      first.resolve(report);
    },
    onBad: bad.resolve,
  });
  return {
    server,
    reports,
    first: first.promise,
    greeted: greeted.promise,
    bad: bad.promise,
    async [Symbol.asyncDispose]() {
      await server.close();
      folder[Symbol.dispose]();
    },
  };
}

const hello = (token: string): string => encodeMessage({ type: 'hello', token });

/** Resolves when the other side has disconnected, with or without an error. */
async function hungUp(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
}

describe('WarmServer', () => {
  it('hands a process that sends its token to the peer that expects it, with all its later reports', async () => {
    await using rig = await serverRig();

    const socket = connect(rig.server.path);
    socket.write(hello('secret') + encodeMessage({ type: 'broken', error: 'x' }));

    expect(await rig.first).toEqual({ type: 'broken', error: 'x' });
    socket.destroy();
  });

  it.each([
    ['a wrong token', hello('wrong')],
    ['a token that is the beginning of the right one', hello('secre')],
    ['a token that is forgotten', hello('forgotten')],
    ['a token that is no text', '{"type":"hello","token":["secret"]}\n'],
    ['something else than a hello', encodeMessage({ type: 'broken', error: 'secret' })],
    ['the right token after a wrong one', hello('wrong') + hello('secret')],
    ['garbage', 'garbage\n'],
    ['null', 'null\n'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x0a])],
    ['a payload', '{"type":"ready","bytes":1000000}\n'],
    ['a line that does not end', 'x'.repeat(5000)],
  ])('hangs up on a stranger that sends %s', async (_what, text) => {
    await using rig = await serverRig();
    rig.server.expect('forgotten', { onConnect: () => {}, onReport: () => {}, onBad: () => {} });
    rig.server.forget('forgotten');

    const socket = connect(rig.server.path);
    socket.write(text);

    await hungUp(socket);
    expect(rig.reports).toEqual([]);
  });

  it('disconnects a stranger that sends nothing in time', async () => {
    await using rig = await serverRig(50);

    await hungUp(connect(rig.server.path));
  });

  it('keeps a process that sent its hello in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await using rig = await serverRig(50);
    const socket = connect(rig.server.path);
    socket.write(hello('secret'));
    await rig.greeted;

    await vi.advanceTimersByTimeAsync(60);

    socket.write(encodeMessage({ type: 'broken', error: 'still here' }));

    expect(await rig.first).toMatchObject({ error: 'still here' });
    socket.destroy();
  });

  it('disconnects the first of 65 strangers, and still accepts a process', async () => {
    await using rig = await serverRig();
    const first = connect(rig.server.path);
    await once(first, 'connect');
    const strangers = Array.from({ length: 63 }, () => connect(rig.server.path));

    const socket = connect(rig.server.path);
    socket.write(hello('secret') + encodeMessage({ type: 'broken', error: 'x' }));

    await hungUp(first);
    expect(await rig.first).toMatchObject({ type: 'broken' });
    for (const one of [socket, ...strangers]) one.destroy();
  });

  it.each([
    ['garbage', 'garbage\n', '"garbage": Unexpected token'],
    ['null', 'null\n', 'the message: received null, expected an object'],
    ['a type that is none', '{"type":"x"}\n', 'type: received "x", expected one of hello'],
    [
      'fields of a log that are null',
      '{"type":"log","id":1,"entry":{"level":"info","message":"x","fields":null}}\n',
      'fields: received null, expected an object',
    ],
    [
      'a level that is none',
      '{"type":"log","id":1,"entry":{"level":"constructor","message":"x","fields":{}}}\n',
      'level: received "constructor", expected one of debug, info, warn, error',
    ],
    ['lines that are none', '{"type":"output","lines":[null]}\n', 'the message: received null, expected an object'],
    [
      'a patch of 33 MiB',
      '{"type":"done","id":1,"bytes":34603008,"patchBytes":34603008,"usage":{}}\n',
      'KUBERNETES_PATCH_PATH has 34603008 bytes, at most 33554432 (32 MiB) are read',
    ],
    ['a config of 2 MiB', '{"type":"ready","bytes":2097152}\n', 'the config has 2097152 bytes, at most 1048576'],
    ['a line of 256 KiB and a byte', 'x'.repeat(256 * 1024 + 1), 'or more, at most 262144 are read'],
  ])('disconnects a process that sends %s, and reports why', async (_what, text, reason) => {
    await using rig = await serverRig();

    const socket = connect(rig.server.path);
    socket.write(hello('secret') + text);

    expect(await rig.bad).toContain(reason);
    await hungUp(socket);
  });

  it('fails with advice when its path is too long for a socket', async () => {
    const server = new WarmServer(join('/tmp', 'x'.repeat(120)));

    await expect(server.open()).rejects.toThrow(/too long for a socket; give a shorter --tmp-dir/);
  });

  it('listens again when its file was removed', async () => {
    await using rig = await serverRig();
    rmSync(rig.server.path);

    await rig.server.open();

    const socket = connect(rig.server.path);
    await once(socket, 'connect');
    socket.destroy();
  });

  it('tries again after it could not listen', async () => {
    using folder = temporaryFolder();
    const missing = join(folder.path, 'missing');
    const server = new WarmServer(missing);
    await expect(server.open()).rejects.toThrow('listen');

    mkdirSync(missing);
    await server.open();
    await server.close();
  });

  it('stays closed, whether it is opened before, at the same time or later', async () => {
    using folder = temporaryFolder();
    const server = new WarmServer(folder.path);
    const opening = server.open();

    const closing = server.close();

    await expect(opening).rejects.toThrow('hooklet is stopping');
    await closing;
    await expect(server.open()).rejects.toThrow('hooklet is stopping');
    await expect(once(connect(server.path), 'connect')).rejects.toThrow('ENOENT');
  });

  it('closes all connections when it closes', async () => {
    await using rig = await serverRig();
    const stranger = connect(rig.server.path);
    const known = connect(rig.server.path);
    known.write(hello('secret') + encodeMessage({ type: 'broken', error: 'x' }));
    await rig.first;

    await rig.server.close();

    await Promise.all([hungUp(stranger), hungUp(known)]);
  });
});
