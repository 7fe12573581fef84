import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import { endedWhole } from '../../src/run/journal.ts';
import { RunHistory } from '../../src/run/history.ts';
import { newRun, type Run, type RunOutcome } from '../../src/run/run.ts';
import { jsonOf, type KeptRecord } from '../../src/run/kept-records.ts';
import { readStoredRun } from '../../src/hook/run-record-reader.ts';
import { hookWith, kubernetesBinding, reconcileBinding } from '../support/bindings.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

const MIB = 1024 * 1024;
const binding = kubernetesBinding('pods');
const cost = { durationMs: 12.4, usage: { userCpuMs: 10, maxRssBytes: 4096 } };
const succeeded: RunOutcome = { type: 'succeeded', cost, applied: [] };

function runOf(hook = 'hook.sh', object = 'web', failures = 0): Run {
  return newRun(taskOf(hookWith(hook, [binding]), eventOf(binding, object), { failures }), 'main');
}

function print(history: RunHistory, run: Run, line: string): void {
  history.record({ type: 'output', run, output: { type: 'line', line: { stream: 'stdout', line } } });
}

function start(history: RunHistory, run = runOf()): Run {
  history.record({ type: 'started', run, waitedMs: 5 });
  return run;
}

function end(history: RunHistory, run: Run, outcome = succeeded): void {
  history.record(endedWhole(run, outcome, { type: 'done' }));
}

function ran(history: RunHistory, run = runOf(), lines: readonly string[] = []): Run {
  start(history, run);
  for (const line of lines) print(history, run, line);
  end(history, run);
  return run;
}

describe('the history of runs', () => {
  it('knows of a run what it was about, what it cost, what it changed and how it ended', () => {
    const history = new RunHistory({ now: () => 1000 });
    const run = start(history, runOf('hook.sh', 'web', 1));
    const operation = {
      operation: 'MergePatch',
      target: { kind: 'ConfigMap' },
      name: 'cm',
      mergePatch: { data: { password: 'secret' } },
      ignoreMissingObject: false,
      ignoreHookError: false,
    } as const;
    const applied = { index: 1, operation: 'MergePatch', target: 'v1/ConfigMap/a/cm', change: 'patched' } as const;
    history.record({ type: 'executed', run, cost });
    history.record({ type: 'applied', run, operation, applied });
    const error = new HookFailedError('hook hook.sh failed: exit code 3\nwhat it printed', {
      ending: { exitCode: 3, timedOut: false },
    });
    const outcome: RunOutcome = { type: 'failed', by: 'hook', error, cost };
    history.record(endedWhole(run, outcome, { type: 'retry', at: 'head', delayMs: 5000 }));

    const record = history.find(run.id);
    expect(record).toEqual({
      id: run.id,
      hook: 'hook.sh',
      binding: 'pods',
      queue: 'main',
      reason: 'Added default/web',
      attempt: 2,
      objects: [{ kind: 'Pod', namespace: 'default', name: 'web', event: 'Added' }],
      queued: '1970-01-01T00:00:00.000Z',
      started: '1970-01-01T00:00:01.000Z',
      ended: '1970-01-01T00:00:01.000Z',
      waitedMs: 5,
      outcome: 'failed',
      failedBy: 'hook',
      error: 'hook hook.sh failed: exit code 3',
      exitCode: 3,
      durationMs: 12,
      userCpuMs: 10,
      maxRssBytes: 4096,
      patches: [{ operation: 'MergePatch', target: 'v1/ConfigMap/a/cm', change: 'patched' }],
      next: { type: 'retry', at: 'head', again: '1970-01-01T00:00:06.000Z' },
      lines: 0,
    });
  });

  it('says of a run with 1 context what its result says of that context', () => {
    const history = new RunHistory({ now: () => 0 });
    const run = start(history);
    const said = { conditions: [], events: [], contexts: new Map() };
    const whole: RunOutcome = { ...succeeded, result: { ...said, output: '{"n":1}' } };
    const own = { ...said, reason: 'NoQuota', message: 'full' };
    const outcome: RunOutcome = { type: 'failed', by: 'hook', isPermanent: true, error: new Error('no'), result: own };
    const part = { task: run.task, outcome, next: { type: 'dead', why: 'permanent' } } as const;
    history.record({ type: 'ended', run, outcome: whole, next: { type: 'done' }, parts: [part] });

    const ended = { outcome: 'failed', next: { type: 'dead', why: 'permanent' } };
    const result = { reason: 'NoQuota', message: 'full', output: '{"n":1}' };
    expect(history.find(run.id)).toMatchObject({ ...ended, permanent: true, error: 'no', result });
    expect(history.find(run.id).parts).toBeUndefined();
    expect(history.list({ isFailed: true, limit: 5 }).runs).toMatchObject([ended]);
    expect(history.objects({})).toMatchObject([{ name: 'web', outcome: 'failed', dead: true }]);
  });

  it('knows the generation of an object as the Reconcile context showed it', () => {
    const history = new RunHistory({ now: () => 0 });
    const sites = reconcileBinding('sites');
    const trigger = { type: 'reconcile', binding: sites, namespace: 'a', name: 'b', reason: 'changed' } as const;
    const run = start(history, newRun(taskOf(hookWith('hook.sh', [sites]), trigger), 'main'));
    expect(history.find(run.id).objects[0]).not.toHaveProperty('generation');
    history.record({ type: 'seen', run, trigger, object: Buffer.from('{"metadata":{"generation":7}}') });
    expect(history.running()).toMatchObject([{ objects: [{ name: 'b', generation: 7 }] }]);
    end(history, run);

    expect(history.find(run.id).objects).toMatchObject([{ name: 'b', event: 'changed', generation: 7 }]);
    expect(history.objects({})).toMatchObject([{ name: 'b', generation: 7 }]);
  });

  it('has the last 20 runs of each hook, the newest first', () => {
    let now = 0;
    const history = new RunHistory({ now: () => (now += 1000) });
    const runs = Array.from({ length: 25 }, () => ran(history));
    ran(history, runOf('other.sh'));

    const { runs: found, more } = history.list({ hook: 'hook.sh', limit: 100 });
    expect(found.map(({ id }) => id)).toEqual(
      runs
        .slice(-20)
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(more).toBe(false);
    expect(history.list({ limit: 5 })).toMatchObject({ more: true, runs: [{ hook: 'other.sh' }, {}, {}, {}, {}] });
  });

  it('takes at most 8 MiB for 10,000 runs with loud output, and 64 KiB for each', () => {
    const stored: KeptRecord[] = [];
    const history = new RunHistory({ now: () => 0, stored: (record) => void stored.push(record) });
    const line = '\u001b'.repeat(1000);
    let most = 0;
    for (let index = 0; index < 10_000; index += 1) {
      const run = start(history, runOf(`hook-${index % 300}.sh`));
      for (let count = 0; count < 12; count += 1) print(history, run, line);
      end(history, run);
      most = Math.max(most, history.bytes);
      if (stored.length > 100) stored.length = 0;
    }
    expect(most).toBeLessThanOrEqual(8 * MIB);
    expect(most).toBeGreaterThan(6 * MIB);
    expect(Math.max(...stored.map((record) => jsonOf(record).length))).toBeLessThanOrEqual(64 * 1024);
  });

  it('takes at most 1 MiB for the output of 200 runs that have not ended', () => {
    const history = new RunHistory({ now: () => 0, limits: { bytes: MIB } });
    ran(history, runOf(), ['kept before']);
    const runs = Array.from({ length: 200 }, () => start(history));
    for (let count = 0; count < 100; count += 1) {
      for (const run of runs) print(history, run, 'x'.repeat(500));
      expect(history.bytes).toBeLessThanOrEqual(MIB);
    }
    for (const run of runs) end(history, run);
    expect(history.bytes).toBeLessThanOrEqual(MIB);
    expect(history.running()).toEqual([]);
  });

  it('forgets runs of the hook that takes most, not those of a quiet one', () => {
    const history = new RunHistory({ now: () => 0, limits: { bytes: 100_000 } });
    const quiet = ran(history, runOf('quiet.sh'), ['one line']);
    for (let index = 0; index < 50; index += 1) ran(history, runOf('loud.sh'), Array(100).fill('x'.repeat(90)));

    expect(history.find(quiet.id).hook).toBe('quiet.sh');
  });

  it('takes an id that is cut where only one run has it', () => {
    const history = new RunHistory({ now: () => 0 });
    const one = { ...runOf(), id: 'abc-1' };
    ran(history, one);
    ran(history, { ...runOf(), id: 'abd-2' });

    expect(history.find('abc').id).toBe('abc-1');
    expect(() => history.find('ab')).toThrow('2 runs have an id that begins with "ab": give more of it');
    expect(() => history.find('abx')).toThrow('no run "abx" is remembered');
    expect(() => history.find('')).toThrow('no run "" is remembered');
  });

  it('finds runs by hook, by object and by failure', () => {
    const history = new RunHistory({ now: () => 0 });
    const web = ran(history, runOf('hook.sh', 'web'));
    const db = start(history, runOf('hook.sh', 'db'));
    end(history, db, { type: 'failed', by: 'hook', error: new Error('no') });
    const idsOf = (query: Parameters<RunHistory['list']>[0]) => history.list(query).runs.map(({ id }) => id);

    expect(idsOf({ object: 'default/web', limit: 9 })).toEqual([web.id]);
    expect(idsOf({ object: 'pod/default/web', limit: 9 })).toEqual([web.id]);
    expect(idsOf({ object: 'Service/default/web', limit: 9 })).toEqual([]);
    expect(idsOf({ object: 'web', limit: 9 })).toEqual([web.id]);
    expect(idsOf({ isFailed: true, limit: 9 })).toEqual([db.id]);
    expect(idsOf({ hook: 'nope.sh', limit: 9 })).toEqual([]);
  });

  it('finds each of 500 objects by its name, and looks into few records of others', () => {
    const history = new RunHistory({ now: () => 0, limits: { runs: 500 } });
    const ids = Array.from({ length: 500 }, (_, index) => ran(history, runOf('hook.sh', `web-${index}`)).id);
    const includes = vi.spyOn(Buffer.prototype, 'includes');
    onTestFinished(() => includes.mockRestore());

    for (const [index, id] of ids.entries()) {
      const { runs } = history.list({ object: `default/web-${index}`, limit: 9 });
      expect(runs.map((run) => run.id)).toEqual([id]);
    }
    expect(includes.mock.calls.length / 500).toBeLessThan(500 / 16);
  });

  it('has the last outcome of an object after its runs are forgotten, until it is deleted', () => {
    const history = new RunHistory({ now: () => 0, limits: { runs: 1 } });
    const first = ran(history, runOf('hook.sh', 'first'));
    ran(history, runOf('hook.sh', 'second'));
    expect(history.objects({ object: 'default/first' })).toMatchObject([{ runId: first.id, outcome: 'succeeded' }]);

    const deleted = { ...eventOf(binding, 'first'), watchEvent: 'Deleted' as const };
    ran(history, newRun(taskOf(hookWith('hook.sh', [binding]), deleted), 'main'));
    expect(history.objects({}).map(({ name }) => name)).toEqual(['second']);
  });

  it('forgets the outcome of the object whose run was longest ago, beyond 3 objects', () => {
    const history = new RunHistory({ now: () => 0, limits: { objects: 3 } });
    for (const name of ['a', 'b', 'c', 'a', 'd']) ran(history, runOf('hook.sh', name));

    expect(history.objects({}).map(({ name }) => name)).toEqual(['d', 'a', 'c']);
  });

  it('gives what a run prints from a line on, and ends the wait for more when the run ends', async () => {
    const history = new RunHistory({ now: () => 0 });
    const run = start(history);
    print(history, run, 'one');
    expect(await history.logs(run.id, { after: 0 })).toEqual({
      id: run.id,
      from: 0,
      lines: [{ stream: 'stdout', line: 'one' }],
      ended: false,
    });
    const next = history.logs(run.id, { after: 1, waitMs: 60_000 });
    print(history, run, 'two');
    expect(await next).toMatchObject({ from: 1, lines: [{ line: 'two' }], ended: false });
    const last = history.logs(run.id, { after: 2, waitMs: 60_000 });
    end(history, run);
    expect(await last).toMatchObject({ lines: [], ended: true });
    expect(await history.logs(run.id, { after: 0, waitMs: 60_000 })).toMatchObject({ ended: true, lines: [{}, {}] });
  });

  it('keeps the last 200 lines, and says how many there were', async () => {
    const history = new RunHistory({ now: () => 0 });
    const run = ran(
      history,
      runOf(),
      Array.from({ length: 1000 }, (_, index) => `line ${index}`),
    );

    const { from, lines } = await history.logs(run.id, { after: 0 });
    expect([from, lines.length, lines.at(0)?.line, lines.at(-1)?.line]).toEqual([800, 200, 'line 800', 'line 999']);
    expect(history.find(run.id).lines).toBe(1000);
  });

  it('takes over records of an earlier process, and those of this one count more', () => {
    const stored: KeptRecord[] = [];
    const before = new RunHistory({ now: () => 0, stored: (record) => void stored.push(record) });
    for (let index = 0; index < 25; index += 1) ran(before, runOf('hook.sh', `pod-${index}`), ['printed']);
    const runs = stored.map((record) => readStoredRun(JSON.parse(jsonOf(record)))).filter((one) => one !== undefined);
    const history = new RunHistory({ now: () => 1000 });
    const own = ran(history, runOf('hook.sh', 'own'));
    history.fill(runs.toReversed());

    const found = history.list({ limit: 100 }).runs;
    expect(found).toHaveLength(20);
    expect(found[0]?.id).toBe(own.id);
    expect(found.map(({ id }) => id)).toContain(runs.at(-1)?.record.id);
  });

  it('has each part of a run whose contexts ended in different ways', () => {
    const history = new RunHistory({ now: () => 0 });
    const run = start(
      history,
      newRun({ ...runOf().task, triggers: [eventOf(binding, 'a'), eventOf(binding, 'b')] }, 'q'),
    );
    const failed: RunOutcome = { type: 'failed', by: 'hook', error: new Error('b is wrong') };
    const partOf = (name: string) => taskOf(run.task.hook, eventOf(binding, name));
    history.record({
      type: 'ended',
      run,
      outcome: failed,
      next: { type: 'done' },
      parts: [
        { task: partOf('a'), outcome: succeeded, next: { type: 'done' } },
        { task: partOf('b'), outcome: failed, next: { type: 'dead', why: 'permanent' } },
      ],
    });

    expect(history.objects({})).toMatchObject([
      { name: 'b', outcome: 'failed', message: 'b is wrong', dead: true },
      { name: 'a', outcome: 'succeeded' },
    ]);
  });
});
