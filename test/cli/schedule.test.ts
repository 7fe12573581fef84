import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createControlServer } from '../../src/server/control-server.ts';
import { fakeSchedules, scheduleStatus } from '../support/fake-schedules.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { runProgram } from '../support/program.ts';
import { recordingLogger } from '../support/recording-logger.ts';

/** A control socket in a temporary folder, which is closed at the end of the test. */
async function serving(): Promise<{ readonly tmpDir: string; readonly asked: readonly string[] }> {
  const folder = temporaryFolder();
  const schedules = fakeSchedules(scheduleStatus());
  const path = join(folder.path, 'hooklet.socket');
  const control = await createControlServer({
    path,
    isRequired: true,
    schedules,
    refusal: () => undefined,
    log: recordingLogger(),
  });
  onTestFinished(async () => {
    await control.close();
    folder[Symbol.dispose]();
  });
  return { tmpDir: folder.path, asked: schedules.asked };
}

describe('hooklet schedule', () => {
  it('finds the operator by the temporary folder or by the socket, from a flag or the environment', async () => {
    const { tmpDir, asked } = await serving();
    const socket = join(tmpDir, 'hooklet.socket');

    const results = await Promise.all([
      runProgram(['schedule', 'list', '-o', 'json', '--tmp-dir', tmpDir]),
      runProgram(['schedule', 'trigger', 'db/backup.sh', 'nightly', '--debug-unix-socket', socket]),
      runProgram(['schedule', 'suspend', 'db/backup.sh', 'nightly'], { env: { DEBUG_UNIX_SOCKET: socket } }),
      runProgram(['schedule', 'resume', 'db/backup.sh', 'nightly'], { env: { HOOKLET_TMP_DIR: tmpDir } }),
    ]);

    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(JSON.parse(results[0]?.stdout ?? '')).toMatchObject([{ hook: 'db/backup.sh', binding: 'nightly' }]);
    expect(asked.toSorted()).toEqual([
      'resume db/backup.sh nightly',
      'suspend db/backup.sh nightly',
      'trigger db/backup.sh nightly',
    ]);
  });

  it('says with exit code 2 what is unknown, and with 1 that there is nobody', async () => {
    const { tmpDir } = await serving();

    const [unknown, nobody, missing] = await Promise.all([
      runProgram(['schedule', 'trigger', 'backup.sh', 'nightly', '--tmp-dir', tmpDir]),
      runProgram(['schedule', 'list', '--tmp-dir', join(tmpDir, 'elsewhere')]),
      runProgram(['schedule', 'suspend', 'db/backup.sh']),
    ]);

    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('did you mean db/backup.sh?')]);
    expect([nobody.exitCode, nobody.stderr]).toEqual([1, expect.stringContaining('no operator to ask at')]);
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      expect.stringContaining("missing required argument 'binding'"),
    ]);
  });

  it('explains a crontab without an operator', async () => {
    const { exitCode, stdout } = await runProgram([
      'schedule',
      'explain',
      '0 3 * * 1-5',
      '--zone',
      'UTC',
      '--count',
      '3',
    ]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain('means     at 03:00 on Monday to Friday\n');
    expect(stdout.match(/03:00:00 \+00:00/g)).toHaveLength(3);
  });
});
