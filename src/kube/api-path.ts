import { shown } from '../lib/shown.ts';
import { pathSegmentProblem } from '../lib/path-segment.ts';

/**
 * Joins `segments` into an absolute path, such as `/api/v1/namespaces/default`. Every request path is built here.
 * Throws `RangeError` for a segment that changes which resource the path names, such as `..`: escaping does not help,
 * because a proxy that normalizes paths undoes it.
 */
export function apiPath(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(required(segment))}`).join('');
}

function required(segment: string): string {
  const problem = pathSegmentProblem(segment);
  if (problem === undefined) return segment;
  throw new RangeError(`${shown(segment)} is not allowed in a request path: it ${problem}`);
}

/** Returns whether `apiPath` could have built each segment of `path`. */
export function isApiPath(path: string): boolean {
  return path.startsWith('/') && path.slice(1).split('/').every(isPlain);
}

function isPlain(segment: string): boolean {
  try {
    return pathSegmentProblem(decodeURIComponent(segment)) === undefined;
  } catch {
    return false;
  }
}
