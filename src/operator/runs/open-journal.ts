import type { Hook } from '../../hook/binding.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { createJournal, type RunJournal } from '../../run/journal.ts';
import { runLog } from '../../run/run-log.ts';
import { runMetrics } from '../../run/run-metrics.ts';
import { createOutputLog } from '../../runner/output-log.ts';
import type { ScheduledRuns } from '../../sources/schedule/scheduled-runs.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import { LoopWarnings } from '../../units/loop-warnings.ts';
import { scheduleJournal } from '../schedules/schedule-journal.ts';
import { unitJournal } from './unit-journal.ts';

export interface OpenJournalOptions {
  /** The runs of schedules, whose records the journal updates. */
  readonly scheduledRuns: ScheduledRuns;
  /** The unit of a hook, even if the hook was changed or removed meanwhile. */
  readonly unitFor: (hook: Hook) => HookUnit | undefined;
  /** Are told everything, in this order, after the log, the metrics, the schedules and the units. */
  readonly subscribers: readonly (RunJournal | undefined)[];
  readonly logProxyHookJson: boolean;
  /** Whether runs are logged as shell-operator does; default false. */
  readonly logCompat?: boolean;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Opens the journal of all runs, with everything that listens to it. */
export function openJournal(options: OpenJournalOptions): RunJournal {
  const { unitFor, scheduledRuns, subscribers, metrics, log } = options;
  return createJournal([
    runLog({ ...options, outputLog: createOutputLog(options) }),
    runMetrics(metrics),
    scheduleJournal(scheduledRuns),
    unitJournal({ unitFor, loops: new LoopWarnings({ metrics, log, now: Date.now }) }),
    ...subscribers.filter((subscriber) => subscriber !== undefined),
  ]);
}
