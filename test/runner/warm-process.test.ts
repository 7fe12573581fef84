import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeMessage } from '../../src/runner/messages.ts';
import { siblingModule } from '../../src/runner/sibling-module.ts';
import { WARM_SOCKET, WARM_TOKEN, type WarmReport } from '../../src/runner/warm-protocol.ts';
import { WarmServer } from '../../src/runner/warm-server.ts';
import { hooksDir, temporaryFolder } from '../support/hook-rig.ts';

/** Acts as the operator; resolves with the first report of the process after its hello. */
async function startWarm(folder: string, fixture: string) {
  const server = new WarmServer(folder);
  await server.open();
  const { promise: connected, resolve: connect } = Promise.withResolvers<Socket>();
  const { promise: first, resolve: report } = Promise.withResolvers<{ report: WarmReport; payload: string }>();
  server.expect('token', {
    onConnect: connect,
    onReport: (message, payload) => report({ report: message, payload: payload.toString() }),
    onBad: (reason) => expect.unreachable(reason),
  });
  const env = { ...process.env, [WARM_SOCKET]: server.path, [WARM_TOKEN]: 'token' };
  const child = spawn(process.execPath, [siblingModule('warm-process'), join(hooksDir, fixture)], {
    env,
    stdio: 'inherit',
  });
  return { server, child, socket: await connected, ...(await first) };
}

describe('the process of a warm hook', () => {
  it('loads the hook, which imports hooklet, and prints its config', async () => {
    using folder = temporaryFolder();

    const { server, child, socket, report, payload } = await startWarm(folder.path, 'run-warm.ts');
    socket.destroy();
    await once(child, 'exit');
    await server.close();

    expect(report).toEqual({ type: 'ready', bytes: payload.length });
    expect(JSON.parse(payload)).toMatchObject({ configVersion: 'v1' });
  });

  it('ends itself when the operator dies', async () => {
    using folder = temporaryFolder();
    const { server, child, socket } = await startWarm(folder.path, 'run-warm.ts');

    socket.destroy();
    await once(child, 'exit');
    await server.close();

    expect(child.exitCode).toBe(0);
  });

  it('reports why the module cannot be loaded', async () => {
    using folder = temporaryFolder();

    const { server, child, socket, report } = await startWarm(folder.path, 'run-warm-broken.ts');
    socket.write(encodeMessage({ type: 'abort' }));
    socket.destroy();
    child.kill();
    await once(child, 'exit');
    await server.close();

    expect(report).toEqual({ type: 'broken', error: expect.stringContaining('no luck at import') });
  });
});
