import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bindingTo, once, patchFor, queuedHook } from '../support/fault-hooks.ts';
import { markProcesses } from '../support/fault-processes.ts';
import { startFaultRig } from '../support/fault-rig.ts';
import { recordingHook, until } from '../support/operator-rig.ts';
import { within } from '../support/within.ts';

describe('a hook', () => {
  it('that was replaced while it ran is run as it is now', async () => {
    const wait = 'while ! [ -e "$OUT/go" ]; do sleep 0.01; done';
    const config = { configVersion: 'v1', kubernetes: [bindingTo('x')] };
    await using rig = await startFaultRig({ hooks: { 'replaced.sh': recordingHook(config, wait) } });
    const { operator } = rig;
    await rig.put('x', '0');
    await until(() => expect(operator.runs('replaced.sh')).toHaveLength(1));

    const path = join(operator.out, '..', 'hooks', 'replaced.sh');
    writeFileSync(`${path}.new`, recordingHook(config, ': > "$OUT/new"'), { mode: 0o755 });
    renameSync(`${path}.new`, path);
    writeFileSync(join(operator.out, 'go'), '');
    await rig.put('x', '1');

    await until(() => expect(existsSync(join(operator.out, 'new'))).toBe(true));
    expect(operator.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('whose spawner is killed runs again within 3 s, with nothing left of the run before', async () => {
    const processes = markProcesses();
    await using rig = await startFaultRig({
      env: processes.env,
      hooks: {
        ...queuedHook('slow', once('slow', `echo '${patchFor('half')}' > "$KUBERNETES_PATCH_PATH"; sleep 600`)),
      },
    });
    const { operator } = rig;
    await rig.put('slow', '1');
    await until(() => expect(existsSync(join(operator.out, 'slow'))).toBe(true));

    for (const pid of processes.pids('spawner-process')) process.kill(pid, 'SIGKILL');
    await rig.put('a', '1');

    await within(3000, () => expect(operator.runs('slow.sh')).toHaveLength(2));
    await rig.caughtUp();
    await until(() => expect(processes.pids('sleep')).toEqual([]));
    expect((await rig.sandbox.call('GET', '/api/v1/namespaces/copies/configmaps/half')).code).toBe(404);
    expect(operator.lines.filter(({ message }) => message === 'spawner process ended')).toHaveLength(1);
  });
});
