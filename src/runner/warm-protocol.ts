import type { OutputLine, Usage } from './spawner-protocol.ts';

/** The variables that tell a warm process where its operator listens, and who it is. */
export const WARM_SOCKET = 'HOOKLET_WARM_SOCKET';
export const WARM_TOKEN = 'HOOKLET_WARM_TOKEN';

/** What the operator asks of a warm process. */
export type WarmRequest =
  /** The binding contexts follow as `bytes` of JSON. */
  | { readonly type: 'run'; readonly id: number; readonly bytes: number }
  | { readonly type: 'abort'; readonly id: number };

/** What a warm process tells the operator. */
export type WarmReport =
  | { readonly type: 'hello'; readonly token: string }
  | { readonly type: 'ready'; readonly config: string }
  | { readonly type: 'broken'; readonly error: string }
  | { readonly type: 'output'; readonly id?: number; readonly lines: readonly OutputLine[] }
  | { readonly type: 'log'; readonly id: number; readonly entry: HookLogEntry }
  | { readonly type: 'done'; readonly id: number; readonly outputs: WarmOutputs; readonly usage: Usage }
  | WarmFailure;

/** A run whose function threw; `patch` and `metrics` are what it had asked for until then. */
export interface WarmFailure {
  readonly type: 'failed';
  readonly id: number;
  readonly error: string;
  readonly patch: string;
  readonly metrics: string;
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
