import { flag, text } from './spec.ts';
import { byteSize, parseDeadLetters, parseRunHistory, parseScheduleState } from './values.ts';

/** The options of what is kept, where and how much of it. */
export const keptOptions = {
  scheduleState: {
    ...text(
      '--schedule-state <where>',
      ['HOOKLET_SCHEDULE_STATE'],
      '',
      'keep the state of schedules: configmap, configmap/<name> or file:<path>; else of those that make up for missed ticks',
    ),
    parse: parseScheduleState,
    fallback: undefined,
  },
  runHistory: {
    ...text(
      '--run-history <where>',
      ['HOOKLET_RUN_HISTORY', 'RUN_HISTORY'],
      '',
      'keep the records of runs, with what hooks print, over restarts: file:<dir>; else the last ones in memory',
    ),
    parse: parseRunHistory,
    fallback: undefined,
  },
  record: flag(
    '--record',
    ['HOOKLET_RECORD'],
    'record runs for hooklet replay, Secrets masked; in memory, or in the folder of --run-history',
  ),
  recordBytes: {
    ...text('--record-bytes <size>', ['HOOKLET_RECORD_BYTES'], '64Mi', 'what all recordings may take'),
    parse: byteSize,
    fallback: byteSize('64Mi'),
  },
  deadLetters: {
    ...text(
      '--dead-letters <where>',
      ['HOOKLET_DEAD_LETTERS'],
      '',
      'keep dead letters and pauses: configmap:<name>, file:<path> or none; else in configmap:hooklet-dead-letters when there are any',
    ),
    parse: parseDeadLetters,
    fallback: undefined,
  },
  pauseByNamespace: flag(
    '--pause-by-namespace',
    ['HOOKLET_PAUSE_BY_NAMESPACE'],
    'let the annotation hooklet.dev/pause on a namespace pause its objects; needs to list and watch namespaces',
  ),
} as const;
