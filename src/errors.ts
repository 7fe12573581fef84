import { messageOf } from './lib/message-of.ts';

/** The stable codes of every error a user can meet; documented in docs/operations.md. */
export type ErrorCode =
  | 'ERR_USAGE'
  | 'ERR_HOOK_CONFIG'
  | 'ERR_HOOK_FAILED'
  | 'ERR_HOOK_OUTPUT'
  | 'ERR_PATCH'
  | 'ERR_STATE_CHANGED'
  | 'ERR_FILTER'
  | 'ERR_KUBE'
  | 'ERR_KUBE_EXPIRED'
  | 'ERR_KIND_NOT_FOUND'
  | 'ERR_CREDENTIALS'
  | 'ERR_LEASE_LOST'
  | 'ERR_LOCK_LOST'
  | 'ERR_SCENARIO';

/** An error that hooklet expects and explains; any other error is a bug. */
export abstract class HookletError extends Error {
  abstract readonly code: ErrorCode;
  /** Whether the same call may succeed later, without a change by a person. */
  abstract readonly isRetryable: boolean;

  /**
   * The text for Events and `/readyz`, which more people can read than the log: it never contains output of a hook or
   * plugin.
   */
  get summary(): string {
    return `${this.code}, see the log`;
  }
}

/** The summary of a `HookletError`, the message of any other error. */
export function summaryOf(error: unknown): string {
  if (error instanceof HookletError) return error.summary;
  return messageOf(error);
}

/** A wrong flag, argument or environment variable; exit code 2. */
export class UsageError extends HookletError {
  override readonly name = 'UsageError';
  readonly code = 'ERR_USAGE';
  readonly isRetryable = false;
}

/** One problem of a document: `path` such as `kubernetes[1].labelSelector`, empty for the whole document. */
export interface Issue {
  readonly path: string;
  readonly message: string;
  /** The line of the document, counted from 1; absent when the path determines it. */
  readonly line?: number;
}

/** A hook that cannot be used, with all problems of its config. */
export class HookConfigError extends HookletError {
  override readonly name = 'HookConfigError';
  readonly code = 'ERR_HOOK_CONFIG';
  readonly isRetryable: boolean;
  readonly hook: string;
  readonly issues: readonly Issue[];
  /** The output of the hook, shortened; absent when it was not run. */
  readonly output: HookConfigOutput | undefined;
  readonly #reason: string | undefined;

  constructor(hook: string, issues: readonly Issue[], options: HookConfigErrorOptions = {}) {
    const { output, reason, isRetryable = false, ...rest } = options;
    const lines = issues.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
    const streams = Object.entries(output ?? {}).filter(([, text]) => text !== '');
    const printed = streams.map(([stream, text]) => `  ${stream}: ${text}`);
    super([`hook ${hook} has ${issues.length} problem(s):`, ...lines, ...printed].join('\n'), rest);
    this.isRetryable = isRetryable;
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

/** What `hook --config` printed. */
export interface HookConfigOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface HookConfigErrorOptions extends ErrorOptions {
  /** Why there is no config, for the summary, without any output of the hook: `--config exited with code 3`. */
  readonly reason?: string;
  readonly output?: HookConfigOutput;
  /**
   * Whether the cause may be a lack of time or memory on the machine, so that another attempt may succeed; default
   * false.
   */
  readonly isRetryable?: boolean;
}

/** How a failed run ended. */
export interface HookEnding {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
}

/** A run that failed: by exit code, signal or time limit, or because the hook could not be started. */
export class HookFailedError extends HookletError {
  override readonly name = 'HookFailedError';
  readonly code = 'ERR_HOOK_FAILED';
  readonly isRetryable = true;
  /** Absent when the hook was not started. */
  readonly ending: HookEnding | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly ending?: HookEnding }) {
    super(message, options);
    this.ending = options?.ending;
  }

  /** How the run ended, without anything that the hook printed: `exit code 3`. */
  get ended(): string {
    return endingText(this.ending);
  }

  override get summary(): string {
    return `${this.ended}; ${super.summary}`;
  }
}

function endingText(ending: HookEnding | undefined): string {
  if (ending === undefined) return 'could not be run';
  if (ending.timedOut) return 'ran longer than its time limit';
  if (ending.signal !== undefined) return `was ended by ${ending.signal}`;
  return ending.exitCode === undefined ? 'failed' : `exit code ${ending.exitCode}`;
}

/** A run that exited 0 but wrote invalid output; the message has file, line and reason. */
export class HookOutputError extends HookletError {
  override readonly name = 'HookOutputError';
  readonly code = 'ERR_HOOK_OUTPUT';
  readonly isRetryable = true;
  /** What is wrong, without any value that the hook wrote. */
  readonly brief: string | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly brief?: string | undefined }) {
    super(message, options);
    this.brief = options?.brief;
  }

  override get summary(): string {
    return this.brief === undefined ? super.summary : `${this.brief}; ${super.summary}`;
  }
}

/** One or more patch operations that failed; the message has the index and target of each. */
export class PatchError extends HookletError {
  override readonly name = 'PatchError';
  readonly code = 'ERR_PATCH';
  readonly isRetryable = true;
}

/**
 * The state of an object was changed by somebody else while a run of its hook was under way, or the object is gone:
 * nothing of the run is applied, and the next one sees what is there.
 */
export class StateChangedError extends HookletError {
  override readonly name = 'StateChangedError';
  readonly code = 'ERR_STATE_CHANGED';
  readonly isRetryable = true;
}

/** A filter expression that does not compile. */
export class FilterError extends HookletError {
  override readonly name = 'FilterError';
  readonly code = 'ERR_FILTER';
  readonly isRetryable = false;
}

/** The answer of the API server to a failed request; `status` is 0 when it did not answer. */
export interface KubeFailure {
  /** HTTP status; 0 when there was no response. */
  readonly status: number;
  /** `reason` of the Status object, such as `NotFound`; empty when absent. */
  readonly reason: string;
  /** From the Retry-After header or `details.retryAfterSeconds`. */
  readonly retryAfterMs?: number;
  /** The text for Events and `/readyz`; default the message. */
  readonly summary?: string;
  /** The fields of the object that it refuses, as far as it names them; default none. */
  readonly issues?: readonly Issue[];
}

/** A request that the API server refused or did not answer. */
export class KubeError extends HookletError {
  override readonly name: string = 'KubeError';
  readonly code: ErrorCode = 'ERR_KUBE';
  readonly status: number;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly issues: readonly Issue[];
  readonly #summary: string;

  constructor(message: string, failure: KubeFailure, options?: ErrorOptions) {
    super(message, options);
    this.#summary = failure.summary ?? message;
    this.status = failure.status;
    this.reason = failure.reason;
    this.retryAfterMs = failure.retryAfterMs;
    this.issues = failure.issues ?? [];
  }

  override get summary(): string {
    return this.#summary;
  }

  get isRetryable(): boolean {
    return this.status === 0 || this.status === 409 || this.status === 429 || this.status >= 500;
  }
}

/** The resourceVersion is too old (410 Gone, as a status or in a watch stream): list again. */
export class ResourceExpiredError extends KubeError {
  override readonly name = 'ResourceExpiredError';
  override readonly code = 'ERR_KUBE_EXPIRED';
}

/** Discovery does not know the kind; a CRD may add it later. */
export class KindNotFoundError extends HookletError {
  override readonly name = 'KindNotFoundError';
  readonly code = 'ERR_KIND_NOT_FOUND';
  readonly isRetryable = true;
  /** False where the group of the kind could not be discovered, so that it may be there. */
  readonly isSure: boolean;

  constructor(message: string, { isSure = true }: { readonly isSure?: boolean } = {}) {
    super(message);
    this.isSure = isSure;
  }

  override get summary(): string {
    return this.message;
  }
}

/** There is no usable kubeconfig, service account or credential plugin. */
export class CredentialsError extends HookletError {
  override readonly name = 'CredentialsError';
  readonly code = 'ERR_CREDENTIALS';
  readonly isRetryable = false;
}

/** This replica was the leader and lost the lease: another replica may be the leader now. */
export class LeaseLostError extends HookletError {
  override readonly name = 'LeaseLostError';
  readonly code = 'ERR_LEASE_LOST';
  readonly isRetryable = true;

  override get summary(): string {
    return this.message;
  }
}

/** A run whose lock was taken, or could not be renewed in time: it was ended, since another may hold the lock. */
export class LockLostError extends HookletError {
  override readonly name = 'LockLostError';
  readonly code = 'ERR_LOCK_LOST';
  readonly isRetryable = true;

  override get summary(): string {
    return this.message;
  }
}

/** A scenario file that cannot be read, or a world that cannot be opened or does not come to rest. */
export class ScenarioError extends HookletError {
  override readonly name = 'ScenarioError';
  readonly code = 'ERR_SCENARIO';
  readonly isRetryable = false;
}
