import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { encodeMessage, MessageReader } from '../../src/runner/messages.ts';
import { readSpawnerReport } from '../../src/runner/spawner-report.ts';
import { startSpawnerChild } from '../../src/runner/spawner-child.ts';
import type { SpawnerReport, SpawnerRequest } from '../../src/runner/spawner-protocol.ts';
import { brokenEntry, markedProcesses, temporaryFolder } from '../support/hook-rig.ts';

describe('startSpawnerChild', () => {
  it('starts a process that ends with its channel, also when it was never set up', async () => {
    const spawner = startSpawnerChild(process.env);

    spawner.channel?.end();

    expect(await spawner.ended).toBe('exit code 0');
  });

  it('reports how a process ended, also one that could not start', async () => {
    using folder = temporaryFolder();

    const { ended } = startSpawnerChild(process.env, brokenEntry(folder.path));

    expect(await ended).toBe('exit code 1');
  });

  it('reports how its runs ended before it ends, also when the operator is busy', async () => {
    using folder = temporaryFolder();
    const spawner = startSpawnerChild(process.env);
    const send = (request: SpawnerRequest): boolean | undefined => spawner.channel?.write(encodeMessage(request));
    const reports: SpawnerReport[] = [];
    const reader = new MessageReader<SpawnerReport>({
      parse: readSpawnerReport,
      onMessage: (report) => reports.push(report),
      onBad: (reason) => expect.unreachable(reason),
    });
    const isFull = `${folder.path}/full`;
    // More output than the channel can buffer, and only then the end of the run.
    const script = `yes ${'hooklet'.repeat(1000)} | head -c ${4 * 1024 * 1024}; : > ${isFull}; sleep 600`;
    const env = { BINDING_CONTEXT_PATH: `${folder.path}/hook-1/binding-context.json` };
    send({ type: 'setup', folder: folder.path, graceMs: 500, outputLimitBytes: 1024 ** 3 });
    send({ type: 'spawn', id: 1, path: '/bin/sh', args: ['-c', script], cwd: '/', env });
    await vi.waitUntil(() => existsSync(isFull), { timeout: 30_000 });

    spawner.channel?.end();
    await vi.waitUntil(() => markedProcesses(`BINDING_CONTEXT_PATH=${env.BINDING_CONTEXT_PATH}`).length === 0, {
      timeout: 30_000,
    });
    spawner.channel?.on('data', (chunk) => reader.push(chunk));
    await spawner.ended;

    expect(reports.at(-1)).toMatchObject({
      type: 'exit',
      id: 1,
      exit: { signal: expect.stringMatching(/^SIG(?:TERM|KILL)$/) },
    });
  });
});
