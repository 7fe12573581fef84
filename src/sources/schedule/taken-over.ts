import type { ScheduleBinding } from '../../hook/binding.ts';
import { jitterOf } from '../../hook/jitter.ts';
import type { Ticks } from './chosen-ticks.ts';
import type { OpenRun, ScheduleRecord } from './record.ts';
import type { ScheduleTarget } from './targets.ts';

export interface TakeOverMoment {
  readonly nowMs: number;
  /** Whether the holder of an open run counts as ended, so that the run may be taken over. */
  readonly isLeftBehind: (run: OpenRun) => boolean;
  /** Names this process. */
  readonly me: string;
}

/** What becomes of the runs that ended processes left behind. */
export interface TakenOver {
  readonly runs: readonly OpenRun[];
  /** Runs to remove from the open ones, whether they are run again or lost. */
  readonly ids: ReadonlySet<string>;
  readonly lost: number;
}

export const NOTHING_TAKEN: TakenOver = { runs: [], ids: new Set(), lost: 0 };

/** Chooses which of the runs left behind this process runs again; the others are lost. */
export function takeOver(
  record: ScheduleRecord,
  { hook, binding }: ScheduleTarget,
  moment: TakeOverMoment,
  ticks: Pick<Ticks, 'chosenMs'>,
): TakenOver {
  const left = record.open.filter(moment.isLeftBehind);
  if (left.length === 0) return NOTHING_TAKEN;
  const { missed, startingDeadlineMs = Infinity } = binding;
  const offsetMs = jitterOf(hook, binding);
  const inTime = left.filter(({ scheduledAtMs }) => moment.nowMs - scheduledAtMs - offsetMs <= startingDeadlineMs);
  const room = roomFor(missed, ticks.chosenMs.length);
  const again = room === 0 ? [] : inTime.filter((run) => isStillWanted(run, record, missed)).slice(-room);
  return {
    runs: again.map((run): OpenRun => ({ ...run, state: 'waiting', holder: moment.me, heartbeatMs: moment.nowMs })),
    ids: new Set(left.map(({ runId }) => runId)),
    lost: left.length - again.length,
  };
}

/** With `latest`, only the newest tick counts: a run is not wanted once a later tick was scheduled. */
function isStillWanted(
  run: OpenRun,
  { lastScheduledMs = 0 }: ScheduleRecord,
  missed: ScheduleBinding['missed'],
): boolean {
  return missed.type === 'all' || run.scheduledAtMs >= lastScheduledMs;
}

/** How many runs may be taken over: the limit of `missed`, less the newer ticks that are run. */
function roomFor(missed: ScheduleBinding['missed'], newer: number): number {
  if (missed.type === 'skip') return 0;
  return Math.max(0, (missed.type === 'all' ? missed.limit : 1) - newer);
}
