import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Hold } from '../../src/cli/lock/guard-process.ts';
import type { LockIo } from '../../src/cli/lock/lock-io.ts';
import { runUnder } from '../../src/cli/lock/run-under.ts';
import { never, temporaryFolder } from '../support/hook-rig.ts';

const hold: Hold = { lost: never, fenceInMs: () => 30_000, onRenewed: () => {} };

describe('a command under a lock', { timeout: 60_000 }, () => {
  it('runs without a shell where the machine has none', async () => {
    using tmp = temporaryFolder();
    const made = join(tmp.path, 'made');
    const told: string[] = [];
    const io: Pick<LockIo, 'stderr'> = { stderr: (text) => void told.push(text) };
    const command = { program: 'mkdir', args: [made], killAfterMs: 1000, shell: join(tmp.path, 'sh') };

    const exitCode = await runUnder(command, hold, io);

    expect({ exitCode, told }).toEqual({ exitCode: 0, told: [] });
    expect(existsSync(made)).toBe(true);
  });
});
