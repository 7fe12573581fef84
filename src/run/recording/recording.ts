import type { RunLine, RunRecord } from '../../hook/run-record.ts';

/** The version of the format. A recording of a newer one is refused. */
export const RECORDING_VERSION = 1;
/** What a recording says that it is. */
export const RECORDING_FORMAT = 'hooklet-recording';

type Fields = Readonly<Record<string, unknown>>;

/** What is needed to run a hook again as it ran, and to compare: the file that `hooklet runs export` writes. */
export interface Recording {
  readonly format: typeof RECORDING_FORMAT;
  readonly version: typeof RECORDING_VERSION;
  /** The version of hooklet that recorded it. */
  readonly hooklet: string;
  readonly run: RunRecord;
  readonly hook: RecordedHook;
  /** What hooklet gave the hook besides the paths of its files. */
  readonly env: Readonly<Record<string, string>>;
  /** The binding contexts, as the hook read them. */
  readonly contexts: readonly Fields[];
  readonly ending: RecordedEnding;
  readonly outputs: RecordedOutputs;
  /** The end of what it printed. */
  readonly printed: readonly RunLine[];
}

export interface RecordedHook {
  readonly name: string;
  readonly type: 'process' | 'warm';
  /** Of its file; absent where that could not be read. */
  readonly hash?: string;
}

/** How the hook ended, apart from what became of the things that it asked. */
export interface RecordedEnding {
  /** `later`: an exit code says that its work cannot be done yet. */
  readonly type: 'succeeded' | 'later' | 'failed';
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut?: boolean;
}

/** What the hook wrote, as values; absent for a file that it did not write. */
export interface RecordedOutputs {
  readonly patch?: OutputFile;
  readonly metrics?: OutputFile;
  readonly result?: OutputFile;
  readonly admission?: OutputFile;
  readonly conversion?: OutputFile;
}

/** The documents of a file; one that is neither JSON nor YAML is known by its mark alone. */
export type OutputFile = { readonly documents: readonly unknown[] } | { readonly unreadable: string };

export const OUTPUT_NAMES = ['patch', 'metrics', 'result', 'admission', 'conversion'] as const;
export type RecordedOutputName = (typeof OUTPUT_NAMES)[number];
