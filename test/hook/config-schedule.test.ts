import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import { readScheduleEntry, toScheduleBinding } from '../../src/hook/config-schedule.ts';
import { parseCrontab } from '../../src/hook/crontab.ts';

function bind(value: unknown) {
  const issues: Issue[] = [];
  const entry = readScheduleEntry(value, { path: 'schedule[0]', issues });
  return { binding: entry === undefined ? undefined : toScheduleBinding(entry, ['pods']), issues };
}

describe('a schedule entry', () => {
  it('gets the defaults', () => {
    expect(bind({ crontab: '*/5 * * * *' })).toEqual({
      binding: {
        type: 'schedule',
        name: 'schedule',
        crontab: parseCrontab('*/5 * * * *'),
        concurrency: 'queue',
        missed: { type: 'skip' },
        jitterMs: 0,
        allowFailure: false,
        queue: 'main',
        includeSnapshotsFrom: ['pods'],
      },
      issues: [],
    });
  });

  it('keeps what it says', () => {
    const value = {
      crontab: '@hourly',
      name: 'n',
      allowFailure: true,
      queue: 'q',
      group: 'g',
      includeSnapshotsFrom: ['p'],
    };

    expect(bind(value).binding).toMatchObject({ name: 'n', allowFailure: true, queue: 'q', group: 'g' });
  });

  it('takes empty names for absent ones', () => {
    const { binding } = bind({ crontab: '@hourly', name: '', queue: '', group: '' });

    expect(binding).toMatchObject({ name: 'schedule', queue: 'main' });
    expect(binding).not.toHaveProperty('group');
  });

  it.each<[unknown, string, string]>([
    [{}, 'schedule[0].crontab', 'missing, expected a crontab such as "*/5 * * * *"'],
    [{ crontab: '61 * * * *' }, 'schedule[0].crontab', 'got "61 * * * *": End of range (61) above maximum (59): 61'],
    [{ crontab: 5 }, 'schedule[0].crontab', 'got 5, expected a string'],
    [
      { crontab: '@hourly', includeSnapshotsFrom: 'pods' },
      'schedule[0].includeSnapshotsFrom',
      'got "pods", expected a list',
    ],
    [
      { crontab: '@hourly', includeSnapshotsFrom: [] },
      'schedule[0].includeSnapshotsFrom',
      'got [], expected a list with at least one element',
    ],
    [{ crontab: '@hourly', cron: 1 }, 'schedule[0].cron', 'unknown field, expected one of crontab, name'],
    ['@hourly', 'schedule[0]', 'got "@hourly", expected a mapping'],
  ])('with a problem says where: %j', (value, path, message) => {
    expect(bind(value).issues).toEqual([{ path, message: expect.stringContaining(message) }]);
  });
});
