import { describe, expect, it } from 'vitest';
import { HookConfigError } from '../../src/errors.ts';
import type { ElectionStatus } from '../../src/kube/coordination/leader-election.ts';
import { answeringChecks, readinessChecks } from '../../src/operator/health.ts';
import type { MonitorStatus } from '../../src/sources/kubernetes/monitor.ts';
import { HookUnit } from '../../src/units/hook-unit.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';
import { withoutSchedules } from '../support/idle-schedule.ts';

const NOW_MS = 1_000_000;

function unitWith(status: MonitorStatus): HookUnit {
  return new HookUnit(hookWith('hook.sh', [kubernetesBinding('pods', { executeHookOnSynchronization: false })]), {
    emit: () => {},
    requeue: () => {},
    createMonitor: () => ({ run: async () => {}, snapshot: () => [], status: () => status }),
    ...withoutSchedules,
    now: Date.now,
    onEnabled: () => {},
    onProblem: () => {},
  });
}

function failures(source: Partial<Parameters<typeof readinessChecks>[0]>): readonly string[] {
  const checks = readinessChecks({ units: [], broken: [], isStarted: true, nowMs: NOW_MS, ...source });
  return checks.filter(({ isOk }) => !isOk).map(({ name, message }) => `${name}: ${message}`);
}

describe('readiness', () => {
  it('fails within 20 s of the last contact of a watch, and says since when there was none', () => {
    const unit = unitWith({ isSynced: true, lastContactAtMs: NOW_MS });
    unit.enable();

    const failsAfter = (ms: number): boolean => failures({ units: [unit], nowMs: NOW_MS + ms }).length > 0;
    const firstMs = Array.from({ length: 30_000 }, (_, ms) => ms).find(failsAfter);

    expect(firstMs).toBeGreaterThan(15_000);
    expect(firstMs).toBeLessThanOrEqual(20_000);
    expect(failures({ units: [unit], nowMs: NOW_MS + 20_000 })).toEqual([
      'watch hook.sh/pods: no contact with the API server for 20 s, since 1970-01-01T00:16:40.000Z',
    ]);
  });

  it('needs the onStartup hooks to have succeeded', () => {
    expect(failures({ isStarted: false })).toEqual(['startup: onStartup hooks have not all succeeded']);
    expect(failures({ isStarted: false, starting: ['a.sh', 'b.sh'] })).toEqual([
      'startup: onStartup hooks have not all succeeded: a.sh, b.sh',
    ]);
    expect(failures({ isStarted: true })).toEqual([]);
  });

  it.each<[string, number, readonly string[], boolean]>([
    ['fails alone', 9, [], true],
    ['has held up another for 3 attempts', 4, ['other.sh'], false],
    ['has held up another for 2 attempts', 3, ['other.sh'], true],
  ])('tells who holds a queue until when, and with a hook that %s', (_, attempt, heldHooks, isOk) => {
    const hold = {
      queue: 'main',
      hook: 'a.sh',
      event: 'Added default/x',
      attempt,
      againAtMs: NOW_MS + 20_000,
      waiting: heldHooks.length,
      heldHooks,
    };
    const checks = readinessChecks({ units: [], broken: [], holds: [hold], isStarted: true, nowMs: NOW_MS });
    const behind = heldHooks.length === 0 ? '' : '; 1 task(s) wait behind it, of other.sh';

    expect(checks.find(({ name }) => name === 'queue main')).toEqual({
      name: 'queue main',
      isOk,
      message: `a.sh failed (Added default/x), again in 20s (attempt ${attempt})${behind}`,
    });
  });

  it('fails while the process that starts hooks does not answer, of a standby too', () => {
    const runner = 'the spawner process has not answered for 3 s';
    const election: ElectionStatus = { type: 'standing-by', leader: 'pod-1_x' };

    expect(failures({ runner })).toEqual([`spawner: ${runner}`]);
    expect(failures({ runner, election })).toEqual([`spawner: ${runner}`]);
  });

  it.each<[ElectionStatus, string, boolean]>([
    [{ type: 'leading' }, 'leading', true],
    [{ type: 'standing-by', leader: 'pod-1_x' }, 'standing by, pod-1_x leads', true],
    [{ type: 'standing-by', leader: '' }, 'no leader is known yet', false],
    [{ type: 'standing-by', leader: '', problem: 'GET: 403' }, 'GET: 403', false],
    [{ type: 'lost' }, 'the lease was lost', false],
  ])('with the election at %j says %j', (election, message, isOk) => {
    const [first] = readinessChecks({ units: [], broken: [], isStarted: true, nowMs: NOW_MS, election });

    expect(first).toEqual({ name: 'leader-election', isOk, message });
  });

  it('asks of a standby only that its hooks can be loaded', () => {
    const election: ElectionStatus = { type: 'standing-by', leader: 'pod-1_x' };
    const broken = [new HookConfigError('bad.sh', [{ path: '', message: 'bad' }])];
    const units = [unitWith({ isSynced: false })];

    expect(failures({ election, units, isStarted: false })).toEqual([]);
    expect(failures({ election, units, broken })).toEqual([expect.stringContaining('hook bad.sh')]);
    expect(failures({ election: { type: 'leading' }, units })).not.toEqual([]);
  });

  it('to answer webhooks is no matter of queues, watches and onStartup hooks', () => {
    const broken = [new HookConfigError('bad.sh', [{ path: '', message: 'bad' }])];
    const runner = 'the spawner process has not answered for 3 s';

    expect(answeringChecks({ isLoaded: true, broken: [] })).toEqual([{ name: 'hooks', isOk: true, message: '' }]);
    const checks = answeringChecks({ isLoaded: false, broken, runner });
    expect(checks.map(({ name, isOk, isPartial = false }) => [name, isOk, isPartial])).toEqual([
      ['hooks', false, false],
      ['spawner', false, false],
      ['hook bad.sh', false, true],
    ]);
  });

  it('lists every broken hook, and nothing that it printed', () => {
    const issues = [{ path: 'schedule[0].crontab', message: 'got "s3cret"' }];
    const output = { stdout: 's3cret', stderr: '+ token=s3cret' };
    const broken = [
      new HookConfigError('bad.sh', issues, { output }),
      new HookConfigError('worse.sh', issues, { output, reason: '--config exited with code 2' }),
    ];

    expect(failures({ broken })).toEqual([
      'hook bad.sh: hook bad.sh: its config has 1 problem(s); ERR_HOOK_CONFIG, see the log',
      'hook worse.sh: hook worse.sh: --config exited with code 2; ERR_HOOK_CONFIG, see the log',
    ]);
  });

  it.each<[string, MonitorStatus, readonly string[]]>([
    ['heard a moment ago', { isSynced: true, lastContactAtMs: NOW_MS - 15_000 }, []],
    ['not heard yet', { isSynced: false }, ['watch hook.sh/pods: the first list is not complete yet']],
    [
      'silent for longer than pings take',
      { isSynced: true, lastContactAtMs: NOW_MS - 16_000 },
      ['watch hook.sh/pods: no contact with the API server for 16 s, since 1970-01-01T00:16:24.000Z'],
    ],
    [
      'in trouble',
      { isSynced: true, lastContactAtMs: NOW_MS, problem: 'forbidden' },
      ['watch hook.sh/pods: forbidden'],
    ],
  ])('of a watch that is %s', (_, status, expected) => {
    const unit = unitWith(status);
    unit.enable();

    expect(failures({ units: [unit] })).toEqual(expected);
  });

  it('needs every hook to have had its turn', () => {
    const unit = unitWith({ isSynced: true, lastContactAtMs: NOW_MS });

    expect(failures({ units: [unit] })).toEqual(['hook hook.sh: waits for its Synchronization']);
    expect(failures({ units: [unit], isPaused: (name) => name === 'hook.sh' })).toEqual([]);
  });
});
