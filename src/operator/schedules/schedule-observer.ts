import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import { expectedInterval } from '../../crontab/interval.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { ScheduleObserver } from '../../sources/schedule/binding-runs.ts';
import type { ScheduleTarget } from '../../sources/schedule/targets.ts';

export interface ScheduleObserverOptions {
  readonly metrics: Metrics;
  readonly events?: Pick<EventRecorder, 'record'> | undefined;
  readonly now: () => number;
  readonly log: Logger;
}

/** Reports the changes of schedules by metrics and Events; the suspension of one also by the log. */
export function createScheduleObserver({ metrics, events, now, log }: ScheduleObserverOptions): ScheduleObserver {
  return {
    onRecord(target, { lastSucceededMs, lastScheduledMs, sinceMs, isSuspended }) {
      const labels = labelsOf(target);
      // A schedule that never succeeded shows the age of its record, so that one alert rule fits it too.
      metrics.scheduleLastSuccess.set(labels, (lastSucceededMs ?? sinceMs) / 1000);
      if (lastScheduledMs !== undefined) metrics.scheduleLastScheduled.set(labels, lastScheduledMs / 1000);
      metrics.scheduleExpectedInterval.set(labels, expectedInterval(target.binding.crontab, now()) / 1000);
      metrics.scheduleSuspended.set(labels, isSuspended ? 1 : 0);
      metrics.scheduleMissed.inc(labels, 0);
      metrics.scheduleSkipped.inc(labels, 0);
    },
    onMissed(target, { count, isAtLeast }) {
      metrics.scheduleMissed.inc(labelsOf(target), count);
      const ticks = `${isAtLeast ? 'at least ' : ''}${count} tick${count === 1 ? '' : 's'}`;
      const message = `schedule ${target.id} of hook ${target.hook} missed ${ticks} of "${target.binding.crontab.source}"`;
      events?.record({ type: 'Warning', reason: 'ScheduleMissed', message });
    },
    onSkipped: (target, count) => metrics.scheduleSkipped.inc(labelsOf(target), count),
    onFailed({ id, hook }, runId) {
      const message = `run ${runId} of schedule ${id} of hook ${hook} failed`;
      events?.record({ type: 'Warning', reason: 'ScheduleFailed', message });
    },
    onSuspended({ id, hook, binding }, failures) {
      if (binding.suspendAfter === undefined || failures < binding.suspendAfter) return;
      const message = `schedule ${id} of hook ${hook} is suspended after ${failures} failed attempt(s) in a row`;
      log.warn(
        { hook, binding: id, failures },
        'schedule is suspended, it failed too often in a row: see hooklet schedule resume',
      );
      events?.record({ type: 'Warning', reason: 'ScheduleSuspended', message });
    },
  };
}

function labelsOf({ hook, id }: ScheduleTarget): { readonly hook: string; readonly binding: string } {
  return { hook, binding: id };
}
