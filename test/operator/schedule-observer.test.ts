import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/kube/coordination/event-recorder.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createScheduleObserver } from '../../src/operator/schedules/schedule-observer.ts';
import { newRecord } from '../../src/sources/schedule/current-record.ts';
import { scheduleBinding } from '../support/bindings.ts';
import { metricValues } from '../support/metric-values.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const binding = scheduleBinding('nightly', { crontab: 'TZ=UTC 0 2 * * *' });
const target = { hook: 'backup.sh', id: 'nightly', binding };
const series = '{hook="backup.sh",binding="nightly"}';

function rig() {
  const metrics = createMetrics('');
  const events: RecordedEvent[] = [];
  const recorder = { record: (event: RecordedEvent) => void events.push(event) };
  const log = recordingLogger();
  const observer = createScheduleObserver({ metrics, events: recorder, now: () => Date.UTC(2026, 4, 1), log });
  return { metrics, events, log, observer };
}

describe('the metrics of a schedule', () => {
  it('are there before it has run: as fresh as its state', async () => {
    const { metrics, observer } = rig();

    observer.onRecord(target, newRecord(target, 5000));

    expect(metricValues(metrics, 'schedule_last_success_timestamp_seconds')).toEqual([`${series} 5`]);
    expect(metricValues(metrics, 'schedule_expected_interval_seconds')).toEqual([`${series} 86400`]);
    expect(metricValues(metrics, 'schedule_last_scheduled_timestamp_seconds')).toEqual([]);
    const text = metrics.text();
    expect(text).toContain(`schedule_missed_total${series} 0`);
    expect(text).toContain(`schedule_skipped_total${series} 0`);
    expect(text).toContain(`schedule_suspended${series} 0`);
  });

  it('follow its record', async () => {
    const { metrics, observer } = rig();
    const times = { lastScheduledMs: 6000, lastSucceededMs: 7500 };

    observer.onRecord(target, { ...newRecord(target, 5000), ...times, isSuspended: true });

    expect(metricValues(metrics, 'schedule_last_success_timestamp_seconds')).toEqual([`${series} 7.5`]);
    expect(metricValues(metrics, 'schedule_last_scheduled_timestamp_seconds')).toEqual([`${series} 6`]);
    expect(metricValues(metrics, 'schedule_suspended')).toEqual([`${series} 1`]);
  });

  it('count what was missed and skipped', async () => {
    const { metrics, observer } = rig();

    observer.onMissed(target, { count: 3, isAtLeast: false });
    observer.onSkipped(target, 2);

    expect(metricValues(metrics, 'schedule_missed_total')).toEqual([`${series} 3`]);
    expect(metricValues(metrics, 'schedule_skipped_total')).toEqual([`${series} 2`]);
  });
});

describe('the Events of a schedule', () => {
  it.each([
    [1, false, '1 tick'],
    [2, false, '2 ticks'],
    [10_000, true, 'at least 10000 ticks'],
  ])('tell of %d missed ticks', (count, isAtLeast, ticks) => {
    const { events, observer } = rig();

    observer.onMissed(target, { count, isAtLeast });

    expect(events).toEqual([
      {
        type: 'Warning',
        reason: 'ScheduleMissed',
        message: `schedule nightly of hook backup.sh missed ${ticks} of "TZ=UTC 0 2 * * *"`,
      },
    ]);
  });

  it('tell of a failed run, each time in the same words', () => {
    const { events, observer } = rig();

    observer.onFailed(target, 'r1');
    observer.onFailed(target, 'r1');

    const event = {
      type: 'Warning',
      reason: 'ScheduleFailed',
      message: 'run r1 of schedule nightly of hook backup.sh failed',
    };
    expect(events).toEqual([event, event]);
  });
});

it('a schedule that is suspended for its failures is told by a warning and an Event', () => {
  const { events, log, observer } = rig();
  const limited = { ...target, binding: scheduleBinding('nightly', { suspendAfter: 5 }) };

  observer.onSuspended?.(limited, 5);

  expect(log.lines).toMatchObject([{ level: 'warn', fields: { hook: 'backup.sh', binding: 'nightly', failures: 5 } }]);
  expect(events).toEqual([
    {
      type: 'Warning',
      reason: 'ScheduleSuspended',
      message: 'schedule nightly of hook backup.sh is suspended after 5 failed attempt(s) in a row',
    },
  ]);
});
