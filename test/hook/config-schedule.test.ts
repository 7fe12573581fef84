import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import { readScheduleEntry, toScheduleBinding } from '../../src/hook/config-schedule.ts';
import { parseCrontab } from '../../src/crontab/crontab.ts';

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

  it('keeps what it says of time', () => {
    const { binding, issues } = bind({
      crontab: '0 2 * * *',
      timeZone: 'Europe/Berlin',
      concurrency: 'replace',
      missed: 'all',
      missedLimit: 5,
      startingDeadline: '1h30m',
      jitter: '10m',
    });

    expect(issues).toEqual([]);
    expect(binding).toMatchObject({
      crontab: { source: '0 2 * * *', timeZone: 'Europe/Berlin' },
      concurrency: 'replace',
      missed: { type: 'all', limit: 5 },
      startingDeadlineMs: 5_400_000,
      jitterMs: 600_000,
    });
  });

  it.each([
    ['skip', { type: 'skip' }],
    ['latest', { type: 'latest' }],
    ['all', { type: 'all', limit: 100 }],
  ])('missed: %s means %j', (missed, policy) => {
    expect(bind({ crontab: '@hourly', missed }).binding?.missed).toEqual(policy);
  });

  it('takes empty names for absent ones', () => {
    const { binding } = bind({ crontab: '@hourly', name: '', queue: '', group: '' });

    expect(binding).toMatchObject({ name: 'schedule', queue: 'main' });
    expect(binding).not.toHaveProperty('group');
  });

  it('has all its problems told at once', () => {
    const { issues } = bind({ crontab: '61 * * * *', timeZone: 'X/Y', missed: 1, concurrency: [], jitter: 'long' });

    expect(issues.map(({ path }) => path)).toEqual([
      'schedule[0].crontab',
      'schedule[0].timeZone',
      'schedule[0].concurrency',
      'schedule[0].missed',
      'schedule[0].jitter',
    ]);
  });

  it.each<[unknown, string, string]>([
    [{}, 'schedule[0].crontab', 'missing, expected a crontab such as "*/5 * * * *"'],
    [
      { crontab: '61 * * * *' },
      'schedule[0].crontab',
      'got "61 * * * *": crontab is invalid: End of range (61) above maximum (59): 61',
    ],
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
    [{ crontab: '@hourly', cron: 1 }, 'schedule[0].cron', 'unknown field, expected one of crontab, timeZone, name'],
    [
      { crontab: '@hourly', timeZone: 'Mars/Olympus' },
      'schedule[0].timeZone',
      'got "Mars/Olympus", expected an IANA time zone such as Europe/Berlin',
    ],
    [{ crontab: '@hourly', timeZone: '' }, 'schedule[0].timeZone', 'got "", expected an IANA time zone'],
    [
      { crontab: 'TZ=Asia/Tokyo 0 2 * * *', timeZone: 'Europe/Berlin' },
      'schedule[0].timeZone',
      'the crontab has TZ=Asia/Tokyo already, expected one of the two',
    ],
    [
      { crontab: '@hourly', concurrency: 'forbid' },
      'schedule[0].concurrency',
      'got "forbid", expected one of queue, skip, replace',
    ],
    [{ crontab: '@hourly', missed: 'some' }, 'schedule[0].missed', 'got "some", expected one of skip, latest, all'],
    [
      { crontab: '@hourly', missed: 'all', missedLimit: 0 },
      'schedule[0].missedLimit',
      'got 0, expected a whole number from 1 to 1000',
    ],
    [
      { crontab: '@hourly', missed: 'latest', missedLimit: 3 },
      'schedule[0].missedLimit',
      'has an effect only with "missed: all"',
    ],
    [
      { crontab: '@hourly', startingDeadline: '0s' },
      'schedule[0].startingDeadline',
      'got "0s", expected a Go duration above zero',
    ],
    [{ crontab: '@hourly', startingDeadline: 60 }, 'schedule[0].startingDeadline', 'got 60, expected a Go duration'],
    [{ crontab: '@hourly', jitter: '-1m' }, 'schedule[0].jitter', 'got "-1m", expected a Go duration of 0 or more'],
    [{ crontab: '@hourly', concurrency: 'replace', group: 'g' }, 'schedule[0].concurrency', 'got "replace" in a group'],
    ['@hourly', 'schedule[0]', 'got "@hourly", expected a mapping'],
  ])('with a problem says where: %j', (value, path, message) => {
    expect(bind(value).issues).toEqual([{ path, message: expect.stringContaining(message) }]);
  });
});
