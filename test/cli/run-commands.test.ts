import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { controlClient, withOperator, type ControlIo } from '../../src/cli/control/client.ts';
import { listRuns, printLogs, showRun } from '../../src/cli/views/run-commands.ts';
import { listObjects, listQueues, showObject, showStatus, showWhy, watchQueues } from '../../src/cli/views/commands.ts';
import { UsageError } from '../../src/errors.ts';
import type { GivenUpGlance } from '../../src/operator/dead-letters/given-up.ts';
import { createOperatorView } from '../../src/operator/control/operator-view.ts';
import { createControlServer } from '../../src/server/control-server.ts';
import { fakeSchedules, scheduleStatus } from '../support/fake-schedules.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { historyRig } from '../support/run-history.ts';
import { scriptedKubeClient } from '../support/scripted-kube-client.ts';

const ESCAPE = '\u001b';
let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let runs: ReturnType<typeof historyRig>;
let serving: Promise<void>;
let end: AbortController;
let givenUp: GivenUpGlance;

beforeEach(async () => {
  folder = temporaryFolder();
  path = join(folder.path, 'hooklet.socket');
  runs = historyRig();
  givenUp = { paused: [], held: 0, deadLetters: 0 };
  end = new AbortController();
  const schedules = fakeSchedules(scheduleStatus({ isSuspended: true }));
  const view = createOperatorView({
    history: runs.history,
    schedules,
    units: () => [],
    broken: () => [],
    queues: () => [],
    election: () => undefined,
    givenUp: () => givenUp,
    access: {
      client: scriptedKubeClient(),
      kinds: { resolve: async () => Promise.reject(new Error('none')), invalidate: () => {} },
    },
  });
  const options = { path, isRequired: true, schedules, view, refusal: () => undefined, log: recordingLogger() };
  serving = (await createControlServer(options)).run(end.signal);
});
afterEach(async () => {
  end.abort();
  await serving;
  folder[Symbol.dispose]();
});

/** Runs a command; returns its output and exit code. */
async function run(command: (io: ControlIo) => Promise<number>, signal = new AbortController().signal) {
  let out = '';
  let err = '';
  const io: ControlIo = {
    client: controlClient(path),
    stdout: (text) => void (out += text),
    stderr: (text) => void (err += text),
    raw: (output) => void (out += String(output)),
    now: () => Date.UTC(2026, 0, 5, 0, 0, 3),
    signal,
  };
  const code = await withOperator(command, io);
  return { code, out, err };
}

describe('hooklet runs', () => {
  it('list shows the runs in a table, and the documents as JSON', async () => {
    runs.fail(runs.start('web', 'aaaabbbbcccc'));

    const { code, out, err } = await run(async (io) => listRuns({}, io));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      'RUN       HOOK     BINDING  WHY                ATTEMPT  OUTCOME        STARTED  TOOK\n' +
        'aaaabbbb  hook.sh  pods     Added default/web  1        failed (hook)  3s ago   -\n',
    );
    const json = await run(async (io) => listRuns({ output: 'json', hook: 'hook.sh' }, io));
    expect(JSON.parse(json.out)).toMatchObject([{ id: 'aaaabbbbcccc', outcome: 'failed' }]);
    expect((await run(async (io) => listRuns({ output: 'wide' }, io))).out).toMatch(
      /NEXT\naaaabbbbcccc .*again in 2s\n$/,
    );
    expect((await run(async (io) => listRuns({ object: 'other' }, io))).out).toBe('No such run is remembered.\n');
    await expect(run(async (io) => listRuns({ output: 'yaml' }, io))).rejects.toThrow(UsageError);
  });

  it('list of a hook that is neither loaded nor remembered is wrong usage', async () => {
    runs.succeed(runs.start('web'));

    await expect(run(async (io) => listRuns({ hook: 'nope' }, io))).rejects.toThrow('no hook "nope"');
    const none = await run(async (io) => listRuns({ hook: 'hook.sh', failed: true }, io));
    expect(none.out).toBe('No such run is remembered.\n');
  });

  it('show says 1 line of a run that printed 1 line', async () => {
    const one = runs.start('web', 'aaaa');
    runs.print(one, 'only');

    const { out } = await run(async (io) => showRun('aaaa', undefined, io));
    expect(out).toContain('printed  1 line: hooklet runs logs aaaa\n');
  });

  it('list says when there are more', async () => {
    for (const object of ['a', 'b']) runs.succeed(runs.start(object));

    const { err } = await run(async (io) => listRuns({ limit: '1' }, io));
    expect(err).toBe('There are more: --limit, --hook and --object choose.\n');
    expect(await run(async (io) => listRuns({ limit: '0' }, io))).toMatchObject({
      code: 1,
      err: expect.stringContaining('limit: expected'),
    });
  });

  it('show prints a run without anything that controls the terminal', async () => {
    runs.fail(runs.start('web', 'aaaa'));

    const { out } = await run(async (io) => showRun('aa', undefined, io));
    expect(out).toContain(String.raw`error    it failed \u001b[31m`);
    expect(out).toContain('object   Pod default/web (Added)\n');
    await expect(run(async (io) => showRun('zz', undefined, io))).rejects.toThrow('no run "zz" is remembered');
    await expect(run(async (io) => showRun('', undefined, io))).rejects.toThrow('a run has an id');
  });

  it('logs prints what is kept, escaped, and says what is not', async () => {
    const one = runs.start('web', 'aaaa');
    for (let index = 0; index < 300; index += 1) runs.print(one, `${ESCAPE}[2J line ${index}`);

    const { out, err } = await run(async (io) => printLogs('aaaa', false, io));
    expect(out.split('\n').slice(0, 2)).toEqual([String.raw`\u001b[2J line 100`, String.raw`\u001b[2J line 101`]);
    expect(err).toBe('100 lines before these are not kept.\n');
  });

  it('logs --follow prints lines as they come, and ends with the run', async () => {
    const one = runs.start('web', 'aaaa');
    runs.print(one, 'first');
    const following = run(async (io) => printLogs('aa', true, io));
    for (const line of ['second', 'third']) runs.print(one, line);
    await new Promise((resolve) => setTimeout(resolve, 50));
    runs.start('other', 'aabb');
    runs.print(one, 'last');
    runs.succeed(one);

    expect(await following).toEqual({ code: 0, out: 'first\nsecond\nthird\nlast\n', err: '' });
  });

  it('logs --follow ends when the person ends it', async () => {
    runs.start('web', 'aaaa');
    const person = new AbortController();
    const following = run(async (io) => printLogs('aaaa', true, io), person.signal);
    setTimeout(() => person.abort(), 50);

    expect(await following).toEqual({ code: 0, out: '', err: '' });
  });
});

describe('hooklet status, queue, objects and why', () => {
  it('status shows on one screen what runs, and what is suspended', async () => {
    runs.start('web', 'aaaabbbbcccc');

    const { out } = await run(async (io) => showStatus(undefined, io));
    expect(out).toBe(
      'This operator runs alone: 0 hooks.\n\n' +
        'RUNNING\nRUN       HOOK     BINDING  WHY                ATTEMPT  FOR\n' +
        'aaaabbbb  hook.sh  pods     Added default/web  1        3.0s\n\n' +
        'SUSPENDED\ndb/backup.sh nightly\n',
    );
    const json = await run(async (io) => showStatus('json', io));
    expect(JSON.parse(json.out)).toMatchObject({ role: 'alone', running: [{ id: 'aaaabbbbcccc' }] });
  });

  it('queue says that nothing waits, and watch ends when the person ends it', async () => {
    expect(await run(async (io) => listQueues(undefined, io))).toMatchObject({ out: 'Nothing runs or waits.\n' });
    const person = new AbortController();
    const watching = run(watchQueues, person.signal);
    setTimeout(() => person.abort(), 50);
    expect((await watching).out).toBe('2026-01-05T00:00:03.000Z\nNothing runs or waits.\n\n');
  });

  it('queue counts the runs that wait for a pause, and status the dead letters', async () => {
    givenUp = { paused: ['hook a.sh, 3 waiting'], held: 3, deadLetters: 4 };

    expect((await run(async (io) => listQueues(undefined, io))).out).toBe(
      'No queue has runs.\nWaiting for the end of a pause: 3 runs; see hooklet pause\n',
    );
    const { out } = await run(async (io) => showStatus(undefined, io));
    expect(out).toMatch(/PAUSED\nhook a\.sh, 3 waiting\n\n4 dead letters: hooklet dead list\n$/);
  });

  it('objects shows the last outcome, the next attempt and the runs', async () => {
    runs.fail(runs.start('web', 'aaaabbbbcccc'));

    const listed = await run(async (io) => listObjects('hook.sh', undefined, io));
    expect(listed.out).toMatch(
      /\nPod default\/web {2}hook\.sh {2}pods .* failed .* again in 2s {2}aaaabbbb {2}it failed \\u001b/,
    );
    expect((await run(async (io) => listObjects('other.sh', undefined, io))).out).toBe(
      'No run about an object is remembered.\n',
    );
    const shown = await run(async (io) => showObject('default/web', {}, io));
    expect(shown.out).toMatch(/\n\nRUNS\nRUN .*\naaaabbbb {2}hook\.sh/);
    await expect(run(async (io) => showObject('default/gone', {}, io))).rejects.toThrow('default/gone');
  });

  it('why of an unknown hook is wrong usage', async () => {
    await expect(run(async (io) => showWhy('nope.sh', { object: 'a/b' }, io))).rejects.toThrow('no hook "nope.sh"');
  });
});
