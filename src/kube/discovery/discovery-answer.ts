import { pathSegmentProblem } from '../../lib/path-segment.ts';
import { shown, shownName } from '../../lib/shown.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { DiscoveryFailure } from './discovery-legacy.ts';
import type { ResourceKind } from '../kind.ts';
import { asJsonObject, malformed } from '../object.ts';

/** Returns the objects in a list member; empty when the member is not a list. */
export function objectsIn(value: unknown, member: string): readonly JsonObject[] {
  const list = asJsonObject(value)[member];
  return Array.isArray(list) ? list.map(asJsonObject) : [];
}

/** Returns the strings in a list member; empty when the member is not a list. */
export function textsIn(value: unknown, member: string): readonly string[] {
  const list = asJsonObject(value)[member];
  return Array.isArray(list) ? list.filter((element: unknown) => typeof element === 'string') : [];
}

/**
 * Drops the kinds whose names cannot be part of a request path; each affected group version is reported as a failure.
 */
export function sound(kinds: readonly ResourceKind[]): {
  readonly kinds: readonly ResourceKind[];
  readonly failures: readonly DiscoveryFailure[];
} {
  const failures = new Map<string, Error>();
  const usable = kinds.filter((kind) => {
    const problem = problemOf(kind);
    if (problem !== undefined) failures.set(shownName(kind.apiVersion), malformed(problem));
    return problem === undefined;
  });
  return { kinds: usable, failures: [...failures].map(([groupVersion, error]) => ({ groupVersion, error })) };
}

/** Each of these names becomes a segment of every request path for the kind. */
function problemOf({ group, version, plural }: ResourceKind): string | undefined {
  for (const part of group === '' ? [version, plural] : [group, version, plural]) {
    const problem = pathSegmentProblem(part);
    if (problem !== undefined) return `a kind with the name ${shown(part)}, which ${problem}`;
  }
  return undefined;
}
