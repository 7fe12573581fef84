import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { UsageError } from '../../errors.ts';
import { makePrivateFolder } from '../../lib/trusted-folder.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { RunHistory } from '../../run/history.ts';
import { HistoryFolder } from '../../run/history-folder.ts';
import { HistoryWriter } from '../../run/history-writer.ts';
import type { KeptRecord } from '../../run/kept-records.ts';
import { folderPlace } from '../../run/recording/recording-folder.ts';
import { memoryPlace } from '../../run/recording/recording-store.ts';
import { Recorder } from '../../run/recording/recorder.ts';
import { createHookHashes } from '../dead-letters/hook-hashes.ts';

/** Where the records of runs are also kept, beside the memory. */
export interface RunHistoryPlace {
  readonly type: 'file';
  /** A folder. */
  readonly path: string;
}

/** How runs are recorded. */
export interface RecordingSettings {
  /** What all recordings may take. */
  readonly maxBytes: number;
  /** The version of hooklet. */
  readonly hooklet: string;
}

export interface OpenHistoryOptions {
  readonly runHistory?: RunHistoryPlace | undefined;
  /** Absent: runs are not recorded. */
  readonly recording?: RecordingSettings | undefined;
  readonly metrics: Pick<Metrics, 'runHistoryDropped'>;
  readonly log: Logger;
}

/** The runs that are remembered, and the work of writing them to disk. */
export interface OpenHistory {
  readonly history: RunHistory;
  /** Absent: runs are not recorded. */
  readonly recorder: Recorder | undefined;
  /** Reads what an earlier process wrote, and writes until `signal` aborts; then writes what is left, for a few seconds. */
  readonly keepHistory: (signal: AbortSignal) => Promise<void>;
}

/** The number of runs of each hook that are remembered. */
const RUNS = 20;

/** Opens the history of runs; throws `UsageError` for a folder that cannot be created, or that others may write to. */
export function openHistory(options: OpenHistoryOptions): OpenHistory {
  const { runHistory, metrics, log } = options;
  const limits = { runs: RUNS };
  const folder = runHistory && openFolder(runHistory);
  const recorder = openRecorder(options);
  const record = async (signal: AbortSignal): Promise<void> => recorder?.run(signal);
  if (folder === undefined) {
    const history = new RunHistory({ now: Date.now, limits, stored: (ended) => recorder?.ended(ended) });
    return { history, recorder, keepHistory: record };
  }
  const onDropped = (records: number): void => metrics.runHistoryDropped.inc({}, records);
  const writer = new HistoryWriter({ folder, onDropped, log });
  const keep = (ended: KeptRecord): void => {
    writer.push(ended);
    recorder?.ended(ended);
  };
  const history = new RunHistory({ now: Date.now, limits, stored: keep });
  const read = async (): Promise<void> => {
    try {
      history.fill(await folder.read(RUNS));
    } catch (error) {
      log.warn({ folder: folder.path, err: error }, 'records of earlier runs cannot be read');
    }
  };
  return {
    history,
    recorder,
    keepHistory: async (signal) => {
      await read();
      await Promise.all([writer.run(signal), record(signal)]);
    },
  };
}

function openFolder({ path }: RunHistoryPlace): HistoryFolder {
  const folder = new HistoryFolder({ path });
  created(() => folder.create());
  return folder;
}

function openRecorder({ recording, runHistory, log }: OpenHistoryOptions): Recorder | undefined {
  if (recording === undefined) return undefined;
  const path = runHistory && join(runHistory.path, 'recordings');
  if (path !== undefined) created(() => makePrivateFolder(path));
  const place = path === undefined ? memoryPlace() : folderPlace(path);
  return new Recorder({ ...recording, place, key: randomBytes(32), hashOf: createHookHashes(), log, now: Date.now });
}

function created(create: () => unknown): void {
  try {
    create();
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(`--run-history: ${reason}; choose a folder of hooklet's own`, { cause: error });
  }
}
