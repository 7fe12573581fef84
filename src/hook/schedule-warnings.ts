import type { Hook, ScheduleBinding } from './binding.ts';
import { nextInterval } from '../crontab/interval.ts';

/** Warnings about schedules that are valid but make no sense, one line each. */
export function scheduleWarnings({ bindings }: Pick<Hook, 'bindings'>, nowMs: number): readonly string[] {
  return bindings
    .filter((binding) => binding.type === 'schedule')
    .flatMap((binding) => warningsOf(binding, nowMs).map((warning) => `schedule ${binding.name}: ${warning}`));
}

function warningsOf(binding: ScheduleBinding, nowMs: number): readonly string[] {
  const { crontab, concurrency, missed, jitterMs } = binding;
  const warnings: string[] = [];
  if (crontab.plan.type === 'every' && crontab.timeZone !== undefined) {
    warnings.push(`the time zone ${crontab.timeZone} has no effect on @every`);
  }
  if (missed.type === 'all' && concurrency !== 'queue') {
    warnings.push(`"missed: all" runs several ticks late, of which "concurrency: ${concurrency}" leaves only one`);
  }
  const intervalMs = nextInterval(crontab, nowMs);
  if (jitterMs > 0 && jitterMs >= intervalMs) {
    warnings.push(
      `a jitter of ${jitterMs / 1000} s is not shorter than the time between two ticks, ${intervalMs / 1000} s`,
    );
  }
  return warnings;
}
