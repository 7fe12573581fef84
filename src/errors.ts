/** The stable codes of every error a user can meet; documented in docs/operations.md. */
export type ErrorCode =
  | 'ERR_USAGE'
  | 'ERR_HOOK_CONFIG'
  | 'ERR_HOOK_FAILED'
  | 'ERR_HOOK_OUTPUT'
  | 'ERR_PATCH'
  | 'ERR_FILTER'
  | 'ERR_KUBE'
  | 'ERR_KUBE_EXPIRED'
  | 'ERR_KIND_NOT_FOUND'
  | 'ERR_CREDENTIALS'
  | 'ERR_LEASE_LOST';

/** An error hooklet expects and explains; anything else is a bug. */
export abstract class HookletError extends Error {
  abstract readonly code: ErrorCode;
  /** Whether the same call may succeed later without anybody changing anything. */
  abstract readonly isRetryable: boolean;

  /** What Events and `/readyz` say of it, which others can read: no word that a hook or a plugin printed or wrote. */
  get summary(): string {
    return `${this.code}, the log says more`;
  }
}

/** The summary of an error of ours, the message of any other. */
export function summaryOf(error: unknown): string {
  if (error instanceof HookletError) return error.summary;
  return error instanceof Error ? error.message : String(error);
}

/** A wrong flag, argument or environment variable; exit code 2. */
export class UsageError extends HookletError {
  override readonly name = 'UsageError';
  readonly code = 'ERR_USAGE';
  readonly isRetryable = false;
}

/** One problem in one place: `path` such as `kubernetes[1].labelSelector`, empty for the whole document. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  /** The line of the document, from 1; absent where it follows from the path. */
  readonly line?: number;
}

/** Everything wrong with one hook's configuration. */
export class HookConfigError extends HookletError {
  override readonly name = 'HookConfigError';
  readonly code = 'ERR_HOOK_CONFIG';
  readonly isRetryable = false;
  readonly hook: string;
  readonly issues: readonly Issue[];
  /** What the hook printed, cut to a readable length; absent when it was not run. */
  readonly output: HookConfigOutput | undefined;
  readonly #reason: string | undefined;

  constructor(hook: string, issues: readonly Issue[], options: HookConfigErrorOptions = {}) {
    const { output, reason, ...rest } = options;
    const lines = issues.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
    const streams = Object.entries(output ?? {}).filter(([, text]) => text !== '');
    const printed = streams.map(([stream, text]) => `  ${stream}: ${text}`);
    super([`hook ${hook} has ${issues.length} problem(s):`, ...lines, ...printed].join('\n'), rest);
    this.hook = hook;
    this.issues = issues;
    this.output = output;
    this.#reason = reason;
  }

  override get summary(): string {
    const reason = this.#reason ?? `its config has ${this.issues.length} problem(s)`;
    return `hook ${this.hook}: ${reason}; ${super.summary}`;
  }
}

/** Both streams of a hook that was asked for its config. */
export interface HookConfigOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface HookConfigErrorOptions extends ErrorOptions {
  /** Why there is no config, in words of ours alone: `--config exited with code 3`. */
  readonly reason?: string;
  readonly output?: HookConfigOutput;
}

/** How a run ended that failed. */
export interface HookEnding {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
}

/** A run that ended badly: exit code, signal, time limit, or a hook that could not be started. */
export class HookFailedError extends HookletError {
  override readonly name = 'HookFailedError';
  readonly code = 'ERR_HOOK_FAILED';
  readonly isRetryable = true;
  /** Absent when the hook did not get as far as running. */
  readonly ending: HookEnding | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly ending?: HookEnding }) {
    super(message, options);
    this.ending = options?.ending;
  }

  override get summary(): string {
    return `${endingText(this.ending)}; ${super.summary}`;
  }
}

function endingText(ending: HookEnding | undefined): string {
  if (ending === undefined) return 'could not be run';
  if (ending.timedOut) return 'ran longer than its time limit';
  if (ending.signal !== undefined) return `was ended by ${ending.signal}`;
  return ending.exitCode === undefined ? 'failed' : `exit code ${ending.exitCode}`;
}

/** A run that exited 0 and wrote something that cannot be used: names file, line and reason. */
export class HookOutputError extends HookletError {
  override readonly name = 'HookOutputError';
  readonly code = 'ERR_HOOK_OUTPUT';
  readonly isRetryable = true;
}

/** One or more patch operations that the API refused: each with operation index and target. */
export class PatchError extends HookletError {
  override readonly name = 'PatchError';
  readonly code = 'ERR_PATCH';
  readonly isRetryable = true;
}

/** A filter expression that does not compile. */
export class FilterError extends HookletError {
  override readonly name = 'FilterError';
  readonly code = 'ERR_FILTER';
  readonly isRetryable = false;
}

/** What the API said, or that it could not be reached (`status` 0). */
export interface KubeFailure {
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** `reason` of the Status object, such as `NotFound`; empty when absent. */
  readonly reason: string;
  /** From the Retry-After header or `details.retryAfterSeconds`. */
  readonly retryAfterMs?: number;
  /** What others may read of it; default the message. */
  readonly summary?: string;
}

/** A request the API server refused or that did not reach it. */
export class KubeError extends HookletError {
  override readonly name: string = 'KubeError';
  readonly code: ErrorCode = 'ERR_KUBE';
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly #summary: string;

  constructor(message: string, failure: KubeFailure, options?: ErrorOptions) {
    super(message, options);
    this.#summary = failure.summary ?? message;
    this.status = failure.status;
    this.reason = failure.reason;
    this.retryAfterMs = failure.retryAfterMs;
  }

  override get summary(): string {
    return this.#summary;
  }

  get isRetryable(): boolean {
    return this.status === 0 || this.status === 409 || this.status === 429 || this.status >= 500;
  }
}

/** 410 Gone as a status or in a stream: the position is too old, list again. */
export class ResourceExpiredError extends KubeError {
  override readonly name = 'ResourceExpiredError';
  override readonly code = 'ERR_KUBE_EXPIRED';
}

/** No such kind in discovery now; it may come with a CRD. */
export class KindNotFoundError extends HookletError {
  override readonly name = 'KindNotFoundError';
  readonly code = 'ERR_KIND_NOT_FOUND';
  readonly isRetryable = true;

  override get summary(): string {
    return this.message;
  }
}

/** No usable kubeconfig, in-cluster account or credential plugin. */
export class CredentialsError extends HookletError {
  override readonly name = 'CredentialsError';
  readonly code = 'ERR_CREDENTIALS';
  readonly isRetryable = false;
}

/** This replica led and must not any more: another one may lead now. */
export class LeaseLostError extends HookletError {
  override readonly name = 'LeaseLostError';
  readonly code = 'ERR_LEASE_LOST';
  readonly isRetryable = true;

  override get summary(): string {
    return this.message;
  }
}
