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
    other.kill('SIGTERM');
    await Promise.all([once(orphan, 'exit'), once(other, 'exit')]);

    expect(orphan.signalCode).toBe('SIGKILL');
    expect(other.signalCode).toBe('SIGTERM');
  });

  it('kills also what was started while it looked', async () => {
    using folder = temporaryFolder();
    const env = { ...process.env, BINDING_CONTEXT_PATH: `${folder.path}/hook-1/binding-context.json` };
    const [early, late] = [spawn('sleep', ['600'], { env }), spawn('sleep', ['600'], { env })];
    await Promise.all([once(early, 'spawn'), once(late, 'spawn')]);
    const looks = [[early.pid ?? 0], [early.pid ?? 0, late.pid ?? 0]];

    killOrphans(folder.path, () => looks.shift() ?? []);
    await Promise.all([once(early, 'exit'), once(late, 'exit')]);

    expect([early.signalCode, late.signalCode]).toEqual(['SIGKILL', 'SIGKILL']);
  });
});
