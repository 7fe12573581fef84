import { KubeError } from '../errors.ts';

const UNKNOWN_RESOURCE = /could not find the requested resource|404 page not found/;

/** The object does not exist, although its kind does. */
export function isMissing(error: unknown): boolean {
  return isStatus(error, 404) && !isUnknownResource(error);
}

/** The API server does not serve the path: the kind was removed, changed its version, or lacks the subresource. */
export function isUnknownResource(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404 && UNKNOWN_RESOURCE.test(error.message);
}

export function isForbidden(error: unknown): boolean {
  return isStatus(error, 403);
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** The object changed after it was read, or a precondition does not match. */
export function isConflict(error: unknown): boolean {
  return isStatus(error, 409) && !isAlreadyExists(error);
}

/** A deletion with a uid found another object of that name, so the object with the uid is gone already. */
export function isAnotherObject(error: unknown): boolean {
  return isConflict(error) && error instanceof Error && /UID in (?:the )?precondition/.test(error.message);
}

/** The kind, such as a custom resource, can be updated only with a resourceVersion. */
export function isVersionRequired(error: unknown): boolean {
  return isStatus(error, 422) && error instanceof Error && /resourceVersion/.test(error.message);
}

/** There was no answer, or a 5xx status: the request may have been carried out nevertheless. */
export function isLost(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 0 || error.status >= 500);
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof KubeError && error.status === status;
}
