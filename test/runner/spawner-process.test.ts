import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { encodeMessage, MessageReader } from '../../src/runner/messages.ts';
import { readSpawnerReport } from '../../src/runner/spawner-report.ts';
import { siblingModule } from '../../src/runner/sibling-module.ts';
import type { SpawnerReport, SpawnerRequest } from '../../src/runner/spawner-protocol.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

/** Acts as the operator. */
async function startSpawner(folder: string) {
  const child = spawn(process.execPath, [siblingModule('spawner-process')], {
    env: { ...process.env, CUSTOM: 'from the operator' },
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
  const channel = child.stdio[3];
  if (!(channel instanceof Socket)) throw new Error('no channel');
  const reports: SpawnerReport[] = [];
  const reader = new MessageReader<SpawnerReport>({
    parse: readSpawnerReport,
    onMessage: (report) => reports.push(report),
    onBad: (reason) => expect.unreachable(reason),
  });
  channel.on('data', (chunk) => reader.push(chunk));
  channel.write(encodeMessage({ type: 'setup', folder, graceMs: 5000, outputLimitBytes: 1000 }));
  await vi.waitUntil(() => reports.some(({ type }) => type === 'ready'), { timeout: 30_000 });
  return {
    child,
    channel,
    send: (request: SpawnerRequest) => channel.write(encodeMessage(request)),
    waitFor: (type: SpawnerReport['type']): Promise<SpawnerReport> =>
      vi.waitUntil(() => reports.find((report) => report.type === type), { timeout: 30_000 }),
  };
}

const sh = (script: string): SpawnerRequest => ({
  type: 'spawn',
  id: 1,
  path: '/bin/sh',
  args: ['-c', script],
  cwd: '/',
  env: {},
});

describe('the spawner process', () => {
  it('gives hooks the environment of the operator', async () => {
    using folder = temporaryFolder();
    const { child, channel, send, waitFor } = await startSpawner(folder.path);

    send(sh('echo "$CUSTOM"'));
    const report = await waitFor('output');
    channel.end();
    await once(child, 'exit');

    expect(report).toMatchObject({ lines: [{ line: 'from the operator' }] });
  });

  it('lets hooks inherit none of its connections', async () => {
    using folder = temporaryFolder();
    const { child, channel, send, waitFor } = await startSpawner(folder.path);

    send(sh('readlink /proc/self/fd/3 || echo closed'));
    const report = await waitFor('output');
    channel.end();
    await once(child, 'exit');

    expect(report).toMatchObject({ lines: [{ line: 'closed' }] });
  });

  it('is not ended by the signals that tell the operator to stop', async () => {
    using folder = temporaryFolder();
    const { child, channel, send, waitFor } = await startSpawner(folder.path);

    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal);
    send(sh('exit 0'));
    const report = await waitFor('exit');
    channel.end();
    await once(child, 'exit');

    expect(report).toMatchObject({ exit: { exitCode: 0 } });
  });

  it('ends its hooks and itself when the operator dies', async () => {
    using folder = temporaryFolder();
    const { child, channel, send, waitFor } = await startSpawner(folder.path);
    send(sh('sleep 600'));
    const started = await waitFor('started');

    channel.destroy();
    await once(child, 'exit');

    const pid = started.type === 'started' ? started.pid : 0;
    expect(child.exitCode).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
