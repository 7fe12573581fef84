import { KubeError } from '../errors.ts';

const UNKNOWN_RESOURCE = /could not find the requested resource|404 page not found/;

/** The object is not there (its kind is). */
export function isMissing(error: unknown): boolean {
  return isStatus(error, 404) && !isUnknownResource(error);
}

/** The path itself is not served: the kind went, changed its version, or lacks the subresource. */
export function isUnknownResource(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404 && UNKNOWN_RESOURCE.test(error.message);
}

export function isForbidden(error: unknown): boolean {
  return isStatus(error, 403);
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** The object is not the one that was read: it changed since. */
export function isConflict(error: unknown): boolean {
  return isStatus(error, 409) && !isAlreadyExists(error);
}

/** A deletion that named a uid met a newer object of that name: the one that was meant is gone. */
export function isAnotherObject(error: unknown): boolean {
  return isConflict(error) && error instanceof Error && /UID in (?:the )?precondition/.test(error.message);
}

/** The kind has no unconditional update, as custom resources. */
export function isVersionRequired(error: unknown): boolean {
  return isStatus(error, 422) && error instanceof Error && /resourceVersion/.test(error.message);
}

/** Without an answer, or with one of a server in trouble: the request may have been carried out. */
export function isLost(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 0 || error.status >= 500);
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof KubeError && error.status === status;
}
