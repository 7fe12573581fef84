import { UsageError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import { RunHistory } from '../../run/history.ts';
import { HistoryFolder } from '../../run/history-folder.ts';
import { HistoryWriter } from '../../run/history-writer.ts';

/** Where the records of runs are also kept, beside the memory. */
export interface RunHistoryPlace {
  readonly type: 'file';
  /** A folder. */
  readonly path: string;
}

export interface OpenHistoryOptions {
  readonly runHistory?: RunHistoryPlace | undefined;
  readonly metrics: Pick<Metrics, 'runHistoryDropped'>;
  readonly log: Logger;
}

/** The runs that are remembered, and the work of writing them to disk. */
export interface OpenHistory {
  readonly history: RunHistory;
  /** Reads what an earlier process wrote, and writes until `signal` aborts; then writes what is left, for a few seconds. */
  readonly keepHistory: (signal: AbortSignal) => Promise<void>;
}

/** The number of runs of each hook that are remembered. */
const RUNS = 20;

/** Opens the history of runs; throws `UsageError` for a folder that cannot be created, or that others may write to. */
export function openHistory({ runHistory, metrics, log }: OpenHistoryOptions): OpenHistory {
  const limits = { runs: RUNS };
  if (runHistory === undefined)
    return { history: new RunHistory({ now: Date.now, limits }), keepHistory: async () => {} };
  const folder = new HistoryFolder({ path: runHistory.path });
  try {
    folder.create();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--run-history: ${reason}; choose a folder of hooklet's own`, { cause: error });
  }
  const onDropped = (records: number): void => metrics.runHistoryDropped.inc({}, records);
  const writer = new HistoryWriter({ folder, onDropped, log });
  const history = new RunHistory({ now: Date.now, limits, stored: (record) => writer.push(record) });
  const read = async (): Promise<void> => {
    try {
      history.fill(await folder.read(RUNS));
    } catch (error) {
      log.warn({ folder: folder.path, err: error }, 'records of earlier runs cannot be read');
    }
  };
  return {
    history,
    keepHistory: async (signal) => {
      await read();
      await writer.run(signal);
    },
  };
}
