import { HookletError, UsageError } from '../errors.ts';

/** A request to the control socket. */
export interface ControlRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** The answer to a request; the body is JSON. */
export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly allow?: string;
}

/** Answers what it is asked; undefined for a path that is not its own. */
export type ControlRoute = (request: ControlRequest) => Promise<ControlAnswer | undefined>;

export function notAllowed(allow: string): ControlAnswer {
  return { ...failure(405, `only ${allow} here`), allow };
}

export function failure(status: number, error: string): ControlAnswer {
  return { status, body: { error } };
}

/** The answer of `work`, or that to the error it throws: what is not there is a 404, what fails for a time a 503. */
export async function answered(work: () => Promise<ControlAnswer>): Promise<ControlAnswer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError) return failure(404, error.message);
    if (error instanceof HookletError) return failure(503, error.message);
    throw error;
  }
}

/** The parts of an escaped path; undefined where it is not one. Names may contain slashes, so parts are escaped. */
export function decodedParts(...parts: readonly string[]): readonly string[] | undefined {
  try {
    return parts.map((part) => decodeURIComponent(part));
  } catch {
    return undefined;
  }
}
