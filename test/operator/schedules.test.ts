import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Ask, asking, sandboxForTest } from '@hooklet/sandbox/testing';
import { UsageError } from '../../src/errors.ts';
import { Schedules } from '../../src/operator/schedules/schedules.ts';
import { keptSchedules } from '../../src/sources/schedule/records.ts';
import { scheduleBinding } from '../support/bindings.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { unitRig } from '../support/unit-rig.ts';

const everySecond = { name: 'tick', crontab: '* * * * * *' };
const statePath = '/api/v1/namespaces/default/configmaps/hooklet-schedules';

interface State {
  readonly lastRun?: { readonly runId: string; readonly outcome: string };
  readonly open: readonly { readonly runId: string; readonly state: string; readonly attempts: number }[];
  readonly lastSucceeded?: string;
}

/** The only record in the ConfigMap. */
async function readState(ask: Ask): Promise<State> {
  const { body } = await ask('GET', statePath);
  const [text] = Object.values(body['data'] ?? {});
  return JSON.parse(String(text));
}

describe('a schedule of the operator', () => {
  it('says in its contexts which run it is, and counts attempts at the same run', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'a.sh': recordingHook(
          {
            configVersion: 'v1',
            schedule: [{ ...everySecond, concurrency: 'skip', retry: { backoff: { first: '100ms' } } }],
          },
          '[ -e "$OUT/failed" ] || { : > "$OUT/failed"; exit 1; }',
        ),
      },
    });
    await until(() => expect(operator.runs('a.sh').length).toBeGreaterThan(2));

    const [first, second, third] = operator.contexts('a.sh');

    expect(first).toMatchObject({ type: 'Schedule', binding: 'tick', attempt: 1, reason: 'tick' });
    expect(second).toEqual({ ...first, attempt: 2, reason: 'retry' });
    expect(third).toMatchObject({ attempt: 1, reason: 'tick' });
    expect(third?.['runId']).not.toBe(first?.['runId']);
    expect(first).not.toHaveProperty('lastSuccess');
    expect(third).toHaveProperty('lastSuccess');
    expect(new Date(String(first?.['scheduledAt'])).getMilliseconds()).toBe(0);
  });

  it('touches no ConfigMap where it makes up for nothing', async () => {
    const sandbox = await sandboxForTest();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'a.sh': recordingHook({ configVersion: 'v1', schedule: [everySecond] }) },
    });
    await until(() => expect(operator.runs('a.sh').length).toBeGreaterThan(1));

    const requests = await (await fetch(`${operator.url()}/metrics`)).text();

    expect(requests).not.toMatch(/kubernetes_client_request_result_total\{/);
  });

  it('is kept in a ConfigMap where it makes up for what it missed, and taken up by the next operator', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    const hooks = {
      'a.sh': recordingHook(
        { configVersion: 'v1', schedule: [{ ...everySecond, concurrency: 'skip', missed: 'latest' }] },
        'if [ -e "$FLAG" ]; then exit 0; fi; sleep 60',
      ),
    };
    using tmp = temporaryFolder();
    const env = { FLAG: join(tmp.path, 'flag') };
    const operator = { gracePeriodMs: 100, killAfterMs: 1000 };
    const first = startOperator({ connect: sandboxCluster(sandbox), hooks, env, operator });
    await until(() => expect(first.runs('a.sh')).toHaveLength(1));
    const [context] = first.contexts('a.sh');
    await until(async () => expect(await readState(ask)).toMatchObject({ open: [{ state: 'running', attempts: 1 }] }));
    await first.stop();

    expect(await readState(ask)).toMatchObject({
      lastRun: { runId: context?.['runId'], outcome: 'interrupted' },
      open: [{ runId: context?.['runId'], state: 'interrupted', attempts: 1 }],
    });
    // With a crontab that has no newer tick, which would be run instead of the interrupted run.
    const { body } = await ask('GET', statePath);
    const [[key, text] = ['', '']] = Object.entries(body['data'] ?? {});
    const rare = { ...JSON.parse(String(text)), crontab: '0 0 29 2 *' };
    await ask('PATCH', statePath, { data: { [key]: JSON.stringify(rare) } }, 'application/merge-patch+json');
    writeFileSync(env.FLAG, '');
    const schedule = [{ name: 'tick', crontab: '0 0 29 2 *', concurrency: 'skip', missed: 'latest' }];
    await using second = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'a.sh': recordingHook({ configVersion: 'v1', schedule }) },
    });
    await until(() => expect(second.runs('a.sh')).toHaveLength(1));

    expect(second.contexts('a.sh')).toEqual([{ ...context, attempt: 2, reason: 'retry' }]);
    await until(async () =>
      expect(await readState(ask)).toMatchObject({ open: [], lastRun: { outcome: 'succeeded' } }),
    );
    await first[Symbol.asyncDispose]();
  });

  it('is kept in a file where that is asked for', async () => {
    const sandbox = await sandboxForTest();
    using tmp = temporaryFolder();
    const path = join(tmp.path, 'schedules.json');
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'a.sh': recordingHook({ configVersion: 'v1', schedule: [everySecond] }) },
      operator: { scheduleState: { type: 'file', path, isForced: true } },
    });

    await until(() => expect(existsSync(path)).toBe(true));
    await until(() => expect(readFileSync(path, 'utf8')).toContain('"outcome": "succeeded"'));
    await operator.stop();
  });

  it('runs all the same without the right to keep its state, and is not ready', async () => {
    const sandbox = await sandboxForTest();
    sandbox.faults.add({ type: 'status', code: 403, path: '/api/v1/namespaces/default/configmaps' });
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'a.sh': recordingHook({ configVersion: 'v1', schedule: [{ ...everySecond, missed: 'latest' }] }) },
    });
    await until(() => expect(operator.runs('a.sh').length).toBeGreaterThan(1));

    const ready = await fetch(`${operator.url()}/readyz?verbose`);

    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain('resources: [configmaps], verbs: [get, create, patch]');
    expect(operator.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'schedule state cannot be persisted, ticks missed while nobody is there are lost' },
    ]);
  });

  describe('that is replaced by a newer run', () => {
    const schedule = [{ ...everySecond, concurrency: 'replace' }];
    const told = 'hook was ended for a newer run of its schedule';

    it('has its whole process group ended, which is no failure and is not repeated', async () => {
      const sandbox = await sandboxForTest();
      await using operator = startOperator({
        connect: sandboxCluster(sandbox),
        hooks: {
          'a.sh': recordingHook(
            { configVersion: 'v1', schedule },
            'sleep 300 & echo $! > "$OUT/child.$$"; trap "echo ended >> $OUT/ended; exit 1" TERM; wait',
          ),
        },
        operator: { gracePeriodMs: 100 },
      });
      await until(() => expect(operator.runs('a.sh').length).toBeGreaterThan(2));
      await until(() => expect(operator.lines.filter(({ message }) => message === told).length).toBeGreaterThan(1));

      const ids = operator.contexts('a.sh').map(({ runId }) => runId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(operator.contexts('a.sh').every(({ attempt }) => attempt === 1)).toBe(true);
      // A run that was ended while it started has not written `ended`.
      await until(() => expect(readFileSync(join(operator.out, 'ended'), 'utf8')).toContain('ended'));
      expect(operator.lines.filter(({ message }) => message.startsWith('hook failed'))).toEqual([]);
      const metrics = await (await fetch(`${operator.url()}/metrics`)).text();
      expect(metrics).toContain('hook_run_errors_total{hook="a.sh",binding="tick",queue="main"} 0');
    });

    it('has its worker ended where it is a warm hook', async () => {
      const sandbox = await sandboxForTest();
      const hook = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineHook, schedule } from 'hooklet';

export default defineHook({
  bindings: { tick: schedule('* * * * * *', { concurrency: 'replace' }) },
  async run({ contexts }) {
    appendFileSync(join(process.env.OUT, 'warm'), contexts[0].runId + ' ' + process.pid + '\\n');
    await new Promise((resolve) => setTimeout(resolve, 300_000));
  },
});
`;
      await using operator = startOperator({
        connect: sandboxCluster(sandbox),
        hooks: { 'warm.ts': hook },
        operator: { killAfterMs: 500, gracePeriodMs: 100 },
      });
      const seen = (): readonly string[] => readFileSync(join(operator.out, 'warm'), 'utf8').trim().split('\n');
      await until(() => expect(seen().length).toBeGreaterThan(1));

      expect(new Set(seen()).size).toBe(seen().length);
      expect(operator.lines.some(({ message }) => message === told)).toBe(true);
      expect(operator.lines.filter(({ message }) => message.startsWith('hook failed'))).toEqual([]);
    });

    it('is taken out of its queue where it waits, and other work is left alone', async () => {
      const sandbox = await sandboxForTest();
      const hook = recordingHook(
        { configVersion: 'v1', schedule: [{ name: 'long', crontab: '* * * * * *', concurrency: 'skip' }, ...schedule] },
        'if grep -q \'"binding":"long"\' "$BINDING_CONTEXT_PATH"; then until [ -e "$OUT/go" ]; do sleep 0.1; done; fi',
      );
      await using operator = startOperator({ connect: sandboxCluster(sandbox), hooks: { 'a.sh': hook } });
      await until(() => expect(operator.contexts('a.sh').some(({ binding }) => binding === 'long')).toBe(true));
      const count = (): number =>
        operator.lines.filter(({ message }) => message === 'schedule ends an earlier run').length;
      const before = operator.runs('a.sh').length;
      await until(() => expect(count()).toBeGreaterThan(2));

      expect(operator.runs('a.sh')).toHaveLength(before);
      writeFileSync(join(operator.out, 'go'), '');
      await until(() => expect(operator.runs('a.sh').length).toBeGreaterThan(before));
      const finished = operator.lines.filter(({ message }) => message === 'hook finished');
      expect(finished.map(({ fields }) => fields['binding'])).toContain('long');
    });
  });
});

describe('what a person asks of schedules', () => {
  function rigWith(keepsAll = false) {
    const log = recordingLogger();
    const rig = unitRig('backup.sh', [
      scheduleBinding('nightly'),
      scheduleBinding('weekly', { missed: { type: 'latest' } }),
    ]);
    const kept = keptSchedules(new MemoryStore().view(), log);
    return { ...rig, kept, schedules: new Schedules({ units: () => [rig.unit], kept, keepsAll, host: 'test', log }) };
  }

  it('is a list of all there are', async () => {
    const { schedules, stop } = rigWith();

    expect(schedules.list().map(({ hook, binding }) => `${hook} ${binding}`)).toEqual([
      'backup.sh nightly',
      'backup.sh weekly',
    ]);
    await stop();
  });

  it.each([
    ['backup.sh', 'nightli', 'hook backup.sh has no schedule "nightli"; did you mean nightly?'],
    ['backup.sh', 'zzzzzz', 'hook backup.sh has no schedule "zzzzzz"; there is nightly, weekly'],
    ['bakup.sh', 'nightly', 'no hook "bakup.sh" with schedules; did you mean backup.sh?'],
    ['zzzzzzzzz', 'nightly', 'no hook "zzzzzzzzz" with schedules; there is backup.sh'],
  ])('of %s %s names what is near', async (hook, binding, message) => {
    const { schedules, stop } = rigWith();

    for (const asked of [
      schedules.trigger(hook, binding),
      schedules.suspend(hook, binding),
      schedules.resume(hook, binding),
    ]) {
      await expect(asked).rejects.toThrow(new UsageError(message));
    }
    await stop();
  });

  it('has those kept that make up for what they missed, or all', async () => {
    for (const keepsAll of [false, true]) {
      const { schedules, kept, stop } = rigWith(keepsAll);
      const [nightly, weekly] = [scheduleBinding('n'), scheduleBinding('w', { missed: { type: 'latest' } })];

      expect(schedules.recordsOf(weekly)).toBe(kept);
      expect(schedules.recordsOf(nightly) === kept).toBe(keepsAll);
      await stop();
    }
  });
});
