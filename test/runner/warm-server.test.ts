import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeMessage } from '../../src/runner/messages.ts';
import { WarmServer } from '../../src/runner/warm-server.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

describe('WarmServer', () => {
  it('hands a process that gives its token to who expects it, with all it says after that', async () => {
    using folder = temporaryFolder();
    const server = new WarmServer(folder.path);
    await server.open();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    server.expect('secret', () => resolve);

    const socket = connect(server.path);
    socket.write(encodeMessage({ type: 'hello', token: 'secret' }) + encodeMessage({ type: 'ready' }));

    expect(await promise).toEqual({ type: 'ready' });
    socket.destroy();
    await server.close();
  });

  it.each(['wrong', 'forgotten'])('hangs up on a process whose token is %s', async (token) => {
    using folder = temporaryFolder();
    const server = new WarmServer(folder.path);
    await server.open();
    server.expect('forgotten', () => () => {});
    server.forget('forgotten');

    const socket = connect(server.path);
    socket.write(encodeMessage({ type: 'hello', token }));
    socket.resume();

    await once(socket, 'close');
    await server.close();
  });

  it('says what to do when its path is too long for a socket', async () => {
    const server = new WarmServer(join('/tmp', 'x'.repeat(120)));

    await expect(server.open()).rejects.toThrow(/too long for a socket; give a shorter --tmp-dir/);
  });
});
