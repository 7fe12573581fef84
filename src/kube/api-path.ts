import { shown } from '../lib/shown.ts';
import { pathSegmentProblem } from '../lib/path-segment.ts';

/**
 * The path of these segments, such as `/api/v1/namespaces/default`; every path of a request is made here. Throws where a
 * segment would lead to something else than it names: escaped it would still be `..` to a proxy that normalizes paths.
 */
export function apiPath(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(required(segment))}`).join('');
}

function required(segment: string): string {
  const problem = pathSegmentProblem(segment);
  if (problem === undefined) return segment;
  throw new RangeError(`${shown(segment)} cannot stand in the path of a request: it ${problem}`);
}

/** Whether each segment of a path that is to be sent is one that `apiPath` makes. */
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
