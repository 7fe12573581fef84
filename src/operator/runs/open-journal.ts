import type { Hook } from '../../hook/binding.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { createJournal, type RunJournal } from '../../run/journal.ts';
import { runLog } from '../../run/run-log.ts';
import { runMetrics } from '../../run/run-metrics.ts';
import type { RunTraces } from '../../run/run-traces.ts';
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
  /** Writes Events about hooks that fail. */
  readonly hookEvents?: RunJournal | undefined;
  /** Remembers the runs; absent: they are not remembered. */
  readonly history?: RunJournal | undefined;
  /** Remembers what is given up. */
  readonly deadLetters?: RunJournal | undefined;
  /** Tells the callers of `http` bindings what became of their requests. */
  readonly requests?: RunJournal | undefined;
  /** Makes a trace of each run; absent: there are none. */
  readonly traces?: RunTraces | undefined;
  readonly logProxyHookJson: boolean;
  /** Whether runs are logged as shell-operator does; default false. */
  readonly logCompat?: boolean;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Opens the journal of all runs, with everything that listens to it. */
export function openJournal({ unitFor, scheduledRuns, metrics, ...options }: OpenJournalOptions): RunJournal {
  const { hookEvents, deadLetters, history, requests, traces, log } = options;
  return createJournal([
    runLog({ ...options, outputLog: createOutputLog(options) }),
    runMetrics(metrics),
    scheduleJournal(scheduledRuns),
    unitJournal({ unitFor, loops: new LoopWarnings({ metrics, log, now: Date.now }) }),
    ...[hookEvents, deadLetters, history, requests, traces?.journal].filter((subscriber) => subscriber !== undefined),
  ]);
}
