import { OUTPUT_LIMITS } from './output-limits.ts';
import type { OutputLine, Usage } from './spawner-protocol.ts';

/** The variables that hold the socket of the operator, and the token that identifies the process. */
export const WARM_SOCKET = 'HOOKLET_WARM_SOCKET';
export const WARM_TOKEN = 'HOOKLET_WARM_TOKEN';

/** Limit of a line: enough for the longest log entry or error with every character escaped. */
export const MAX_REPORT_BYTES = 256 * 1024;
/** Limit of the payload of a report. */
export const MAX_REPORT_PAYLOAD_BYTES =
  OUTPUT_LIMITS.patch +
  OUTPUT_LIMITS.metrics +
  OUTPUT_LIMITS.admission +
  OUTPUT_LIMITS.conversion +
  OUTPUT_LIMITS.result;
/** Limit of an error text; longer ones are truncated. */
export const MAX_ERROR_CHARS = 32_000;

/** What a run of a warm hook is told of itself. */
export interface RunIdentity {
  readonly runId: string;
  readonly traceparent?: string;
}

/** A request of the operator to a warm process. */
export type WarmRequest =
  /** The binding contexts follow as `bytes` of JSON. */
  | ({ readonly type: 'run'; readonly id: number; readonly bytes: number } & RunIdentity)
  | { readonly type: 'abort'; readonly id: number };

/** A report of a warm process to the operator. */
export type WarmReport =
  | { readonly type: 'hello'; readonly token: string }
  /** The config follows as `bytes` of JSON. */
  | { readonly type: 'ready'; readonly bytes: number }
  | { readonly type: 'broken'; readonly error: string }
  | { readonly type: 'output'; readonly id?: number; readonly lines: readonly OutputLine[] }
  | { readonly type: 'log'; readonly id: number; readonly entry: HookLogEntry }
  | ({ readonly type: 'done' } & RunReport)
  /** `reason` in one line, `error` in full; the outputs are what the hook requested until then. */
  | ({ readonly type: 'failed'; readonly reason: string; readonly error: string } & RunReport);

/**
 * The outputs follow as `bytes`: the `patchBytes` of the patch file, the metrics file, the `admissionBytes` and the
 * `conversionBytes` of the responses, the `resultBytes` of the result.
 */
export interface RunReport {
  readonly id: number;
  readonly bytes: number;
  readonly patchBytes: number;
  /** Default 0. */
  readonly admissionBytes?: number;
  /** Default 0. */
  readonly conversionBytes?: number;
  readonly resultBytes: number;
  readonly usage: Usage;
}

/** An entry that a warm hook passed to its `log`. */
export interface HookLogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The outputs of a warm run, as text; empty when the hook requested nothing. */
export interface WarmOutputs {
  readonly patch: string;
  readonly metrics: string;
  readonly admission: string;
  readonly conversion: string;
  readonly result: string;
}
