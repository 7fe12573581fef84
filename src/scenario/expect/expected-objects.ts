import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import type { ExpectedObject } from '../expectation.ts';
import { listed } from './counts.ts';
import { type Difference, type ExpectPath, pathText, wordOf } from './difference.ts';
import type { Evidence } from './evidence.ts';
import { differences, isSubset } from './subset.ts';

/** Compares objects; where none fits, the nearest one of the kind shows what differs. */
export function objectDifferences(
  expected: readonly ExpectedObject[],
  { objects }: Pick<Evidence, 'objects'>,
): readonly Difference[] {
  return expected.flatMap((one, index) => oneObject(one, objects, ['objects', index]));
}

function oneObject(
  { object, absent, count }: ExpectedObject,
  objects: readonly JsonObject[],
  at: ExpectPath,
): readonly Difference[] {
  const fitting = objects.filter((one) => isSubset(object, one));
  const lines = fitting.map(objectText);
  if (absent === true) {
    if (fitting.length === 0) return [];
    return [{ at, message: `expected no such object, found ${fitting.length}${listed(lines)}` }];
  }
  if (count !== undefined) {
    if (fitting.length === count) return [];
    const message = `expected ${count} such object(s), found ${fitting.length}${listed(lines)}`;
    return [{ at: [...at, 'count'], message, found: fitting.length }];
  }
  return fitting.length > 0 ? [] : nearestDifferences(object, objects, at);
}

/** What differs from the object of that name or, without one, from the one that differs least. */
export function nearestDifferences(
  expected: JsonObject,
  objects: readonly JsonObject[],
  at: ExpectPath,
): readonly Difference[] {
  const ofKind = objects.filter(
    (one) => one['kind'] === expected['kind'] && one['apiVersion'] === expected['apiVersion'],
  );
  if (ofKind.length === 0) {
    return [{ at, message: `expected ${objectText(expected)}, found no ${wordOf(expected['kind'])} at all` }];
  }
  const named = ofKind.filter((one) => isSubset(identityOf(expected), one));
  const candidates = named.length > 0 ? named : ofKind;
  const ranked = candidates
    .map((one) => ({ one, found: differences(expected, one, at) }))
    .toSorted((a, b) => a.found.length - b.found.length);
  const best = ranked[0];
  if (best === undefined) return [];
  if (named.length > 0) return best.found;
  const lines = best.found.map((one) => `${pathText(one.at.slice(at.length))}: ${one.message}`);
  const nearest = `the nearest is ${objectText(best.one)}`;
  return [{ at, message: `expected ${objectText(expected)}, which is not there; ${nearest}${listed(lines)}` }];
}

function identityOf({ apiVersion, kind, metadata }: JsonObject): JsonObject {
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  return {
    apiVersion: apiVersion ?? null,
    kind: kind ?? null,
    ...(name !== undefined && {
      metadata: { name, ...(namespace !== undefined && { namespace }) },
    }),
  };
}

/** Compares the status of objects, whose fields stand beside apiVersion, kind and metadata. */
export function statusDifferences(
  expected: readonly JsonObject[],
  { objects }: Pick<Evidence, 'objects'>,
): readonly Difference[] {
  return expected.flatMap((one, index) => {
    const { apiVersion, kind, metadata, ...status } = one;
    const named = { apiVersion: apiVersion ?? null, kind: kind ?? null, ...(metadata !== undefined && { metadata }) };
    const flattened = objects.filter((object) => isSubset(named, object)).map(withStatusBeside);
    if (flattened.some((object) => isSubset(status, object))) return [];
    const at = ['status', index];
    if (flattened.length === 0) return nearestDifferences(named, objects, at);
    return nearestDifferences(one, flattened, at);
  });
}

function withStatusBeside({ apiVersion, kind, metadata, status }: JsonObject): JsonObject {
  return {
    ...(isJsonObject(status) ? status : {}),
    apiVersion: apiVersion ?? null,
    kind: kind ?? null,
    metadata: metadata ?? {},
  };
}

/** `v1/Secret/default/a`. */
export function objectText({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace, name } = isJsonObject(metadata) ? metadata : {};
  return [apiVersion, kind, namespace, name].filter((part) => typeof part === 'string').join('/');
}
