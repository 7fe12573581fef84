import { describe, expect, it } from 'vitest';
import { statusText } from '../../src/cli/views/status-text.ts';
import { HookConfigError } from '../../src/errors.ts';
import type { ObjectOutcome } from '../../src/hook/run-control.ts';
import { operatorStatus, type StatusSource } from '../../src/operator/control/status.ts';
import { hookWith } from '../support/bindings.ts';
import { scheduleStatus } from '../support/fake-schedules.ts';

const at = '2026-01-05T03:00:00.000Z';

function outcomeOf(name: string, fields: Partial<ObjectOutcome> = {}): ObjectOutcome {
  const where = { hook: 'hook.sh', binding: 'pods', kind: 'Pod', namespace: 'default', name };
  return { ...where, runId: `run-${name}`, attempt: 2, outcome: 'failed', at, message: `${name} is wrong`, ...fields };
}

function statusOf(source: Partial<StatusSource> = {}) {
  return operatorStatus({
    nowMs: Date.parse(at),
    units: [{ hook: hookWith('hook.sh'), isEnabled: true }],
    broken: [],
    queues: [],
    running: [],
    outcomes: [],
    schedules: [],
    givenUp: { paused: [], deadLetters: 0 },
    ...source,
  });
}

describe('the status of an operator', () => {
  it('shows the pools of workers in a table, and nothing of them where there are none', () => {
    const pool = { pool: 'gpu', workers: 2, outdated: 1, capacity: 16, busy: 3, waiting: 4 };

    const text = statusText(statusOf({ pools: [pool] }), Date.parse(at));

    expect(text).toMatch(/^WORKERS\nPOOL +WORKERS +PLACES +BUSY +WAIT +WITH OTHER HOOKS\ngpu +2 +16 +3 +4 +1$/m);
    expect(statusOf()).not.toHaveProperty('pools');
    expect(statusText(statusOf(), Date.parse(at))).not.toContain('WORKERS');
  });

  it('has one entry for each binding that fails, with the latest of its objects', () => {
    const outcomes = [
      outcomeOf('b', { again: at }),
      outcomeOf('fine', { outcome: 'succeeded' }),
      outcomeOf('a'),
      outcomeOf('', { binding: 'nightly', dead: true }),
      outcomeOf('c', { hook: 'removed.sh' }),
    ];

    expect(statusOf({ outcomes }).failing).toEqual([
      {
        hook: 'hook.sh',
        binding: 'pods',
        objects: 2,
        object: 'default/b',
        runId: 'run-b',
        attempt: 2,
        at,
        message: 'b is wrong',
        again: at,
      },
      {
        hook: 'hook.sh',
        binding: 'nightly',
        objects: 0,
        runId: 'run-',
        attempt: 2,
        at,
        message: ' is wrong',
        dead: true,
      },
    ]);
  });

  it('says who leads, which hooks start or are broken, and what is suspended or paused', () => {
    const status = statusOf({
      units: [{ hook: hookWith('slow.sh'), isEnabled: false }],
      broken: [new HookConfigError('bad.sh', [{ path: 'kubernetes', message: 'x'.repeat(5000) }])],
      schedules: [scheduleStatus(), scheduleStatus({ binding: 'weekly', isSuspended: true })],
      givenUp: { paused: ['queue main'], deadLetters: 4 },
      election: { type: 'standing-by', leader: 'pod-1' },
    });

    expect(status).toMatchObject({
      role: 'standing-by',
      leader: 'pod-1',
      hooks: { loaded: 1, starting: ['slow.sh'], broken: [{ hook: 'bad.sh' }] },
      suspended: [{ hook: 'db/backup.sh', binding: 'weekly' }],
      paused: ['queue main'],
      deadLetters: 4,
    });
    expect(status.hooks.broken[0]?.message.length).toBeLessThan(600);
  });

  it('has at most 100 of each thing', () => {
    const many = Array.from({ length: 250 }, (_, index) => index);
    const status = statusOf({
      units: many.map((index) => ({ hook: hookWith(`hook-${index}.sh`), isEnabled: false })),
      outcomes: many.map((index) => outcomeOf('a', { hook: `hook-${index}.sh` })),
      schedules: many.map((index) => scheduleStatus({ binding: `b-${index}`, isSuspended: true })),
    });

    const { hooks, failing, suspended } = status;
    expect([hooks.loaded, hooks.starting.length, failing.length, suspended.length]).toEqual([250, 100, 100, 100]);
  });
});
