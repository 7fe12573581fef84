import type { Logger } from '../../log.ts';
import type { ScheduleObserver } from './binding-runs.ts';
import type { Plan } from './plan.ts';
import type { ScheduleTarget } from './targets.ts';

/** What a report needs besides the plan. */
export interface PlanReport {
  readonly target: ScheduleTarget;
  readonly nowMs: number;
  /** Whether the plan was made because a tick was due. */
  readonly isTick: boolean;
  readonly observer: ScheduleObserver;
  readonly log: Logger;
}

/**
 * Reports the result of a plan: missed and skipped ticks to the observer, and whatever is not a tick on time to the
 * log.
 */
export function reportPlan(plan: Plan, report: PlanReport): void {
  const { target, isTick, observer, log } = report;
  const binding = target.id;
  const { runs, missed, isMissedAtLeast, skipped, replaced, backMs } = plan;
  if (backMs !== undefined) log.warn({ binding, backMs }, 'clock was set back, the schedule starts anew');
  if (missed > 0) observer.onMissed(target, { count: missed, isAtLeast: isMissedAtLeast });
  if (skipped > 0) {
    observer.onSkipped(target, skipped);
    log.info({ binding, skipped }, 'schedule is skipped, an earlier run has not ended');
  }
  if (replaced.length > 0)
    log.info({ binding, runId: replaced.map(({ runId }) => runId) }, 'schedule ends an earlier run');
  logLate(plan, report);
  const isNothing = runs.length === 0 && missed === 0 && skipped === 0 && backMs === undefined;
  if (isTick && isNothing) log.debug({ binding }, 'another operator runs this tick');
}

function logLate({ runs, missed, isMissedAtLeast }: Plan, { target, nowMs, log }: PlanReport): void {
  const late = runs.filter(({ reason, attempts }) => reason === 'catch-up' || attempts > 0);
  const lost = missed === 0 ? {} : { missed: isMissedAtLeast ? `>= ${missed}` : missed };
  const [oldest] = late;
  if (oldest !== undefined) {
    const lateMs = nowMs - oldest.scheduledAtMs;
    const runIds = late.map(({ runId }) => runId);
    log.warn({ binding: target.id, lateMs, runs: late.length, runId: runIds[0], ...lost }, 'schedule runs late');
  } else if (missed > 0) {
    log.warn({ binding: target.id, ...lost }, 'schedule missed ticks');
  }
}
