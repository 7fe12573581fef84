import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { controlClient } from '../../src/cli/control/client.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const nightly = { configVersion: 'v1', schedule: [{ name: 'nightly', crontab: '0 0 1 1 *' }] };

describe('a hook that fails in a queue it shares', () => {
  it('is named with its next attempt in its log line, and by the schedule of its victim and its own', async () => {
    const sandbox = await sandboxForTest();
    using folder = temporaryFolder();
    const path = join(folder.path, 'hooklet.socket');
    const client = controlClient(path);
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'bad.sh': recordingHook(nightly, 'exit 3'), 'victim.sh': recordingHook(nightly) },
      operator: { controlSocket: { path, isRequired: true } },
    });
    await until(async () => expect(await client.ask('GET', '/schedules')).toMatchObject({ schedules: [{}, {}] }));
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));

    await client.ask('POST', '/schedules/bad.sh/nightly/trigger');
    await until(() => expect(operator.runs('bad.sh')).toHaveLength(1));
    await client.ask('POST', '/schedules/victim.sh/nightly/trigger');

    const heldBy = { hook: 'bad.sh', queue: 'main', attempt: 2, again: expect.any(String) };
    await until(async () =>
      expect(await client.ask('GET', '/schedules')).toMatchObject({
        schedules: [
          { hook: 'bad.sh', outcome: 'failed', heldBy },
          { hook: 'victim.sh', outcome: 'waiting', heldBy },
        ],
      }),
    );
    const failed = operator.lines.find(({ message }) => message.startsWith('hook failed'));
    expect(failed?.fields).toMatchObject({ attempt: 1, again: 'again in 5s (attempt 2)' });
    const ready = await (await fetch(`${operator.url()}/readyz?verbose`)).text();
    expect(ready).toMatch(
      /queue main .*bad\.sh failed \(Schedule 0 0 1 1 \*\), again in \ds \(attempt 2\); 1 task\(s\) wait behind it, of victim\.sh/,
    );
  });
});
