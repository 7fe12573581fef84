import { OUTPUT_LIMITS } from './output-limits.ts';
import type { OutputLine, Usage } from './spawner-protocol.ts';

/** The variables that tell a warm process where its operator listens, and who it is. */
export const WARM_SOCKET = 'HOOKLET_WARM_SOCKET';
export const WARM_TOKEN = 'HOOKLET_WARM_TOKEN';

/** The longest line of a report: the longest log entry or error, with every character escaped. */
export const MAX_REPORT_BYTES = 256 * 1024;
/** The largest payload of a report. */
export const MAX_REPORT_PAYLOAD_BYTES = OUTPUT_LIMITS.patch + OUTPUT_LIMITS.metrics;
/** The longest error text; what is longer is cut. */
export const MAX_ERROR_CHARS = 32_000;

/** What the operator asks of a warm process. */
export type WarmRequest =
  /** The binding contexts follow as `bytes` of JSON. */
  | { readonly type: 'run'; readonly id: number; readonly bytes: number }
  | { readonly type: 'abort'; readonly id: number };

/** What a warm process tells the operator. */
export type WarmReport =
  | { readonly type: 'hello'; readonly token: string }
  /** The config follows as `bytes` of JSON. */
  | { readonly type: 'ready'; readonly bytes: number }
  | { readonly type: 'broken'; readonly error: string }
  | { readonly type: 'output'; readonly id?: number; readonly lines: readonly OutputLine[] }
  | { readonly type: 'log'; readonly id: number; readonly entry: HookLogEntry }
  | ({ readonly type: 'done' } & RunReport)
  /** `reason` in a line, `error` with all there is to say; the outputs are what it had asked for until then. */
  | ({ readonly type: 'failed'; readonly reason: string; readonly error: string } & RunReport);

/** The outputs follow as `bytes`: the patch file, of which there are `patchBytes`, then the metrics file. */
export interface RunReport {
  readonly id: number;
  readonly bytes: number;
  readonly patchBytes: number;
  readonly usage: Usage;
}

export interface HookLogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface WarmOutputs {
  readonly patch: string;
  readonly metrics: string;
}
