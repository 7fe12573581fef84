import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { killOrphans } from '../../src/runner/orphans.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

describe('killOrphans', () => {
  it('kills what names the folder in its environment, in whatever session, and nothing else', async () => {
    using folder = temporaryFolder();
    const start = (file: string) => {
      const env = { ...process.env, BINDING_CONTEXT_PATH: file };
      return spawn('sleep', ['600'], { detached: true, env });
    };
    const orphan = start(`${folder.path}/hook-1/binding-context.json`);
    const other = start(`${folder.path}-other/hook-1/binding-context.json`);
    await Promise.all([once(orphan, 'spawn'), once(other, 'spawn')]);

    killOrphans(folder.path);
    await once(orphan, 'exit');
    const otherSignal = other.signalCode;
    other.kill();

    expect(orphan.signalCode).toBe('SIGKILL');
    expect(otherSignal).toBeNull();
  });
});
