import { isObject, type JsonObject } from '../../lib/json-object.ts';

/** The lists in which an entry of the template with the name of one of ours is merged into it. */
const MERGED = new Set(['containers', 'initContainers']);
/**
 * Merges a PodTemplateSpec of a hook into that of hooklet. Maps are merged, and a single value of the hook's counts;
 * lists are put behind ours, but for an entry that we have, such as a variable of ours. A container with the name of one
 * of ours is merged into it, and keeps the command of ours.
 */
export function mergeTemplate(ours: JsonObject, theirs: JsonObject | undefined): JsonObject {
  return theirs === undefined ? ours : mergeMaps(ours, theirs);
}

function mergeMaps(ours: JsonObject, theirs: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...ours };
  for (const [name, value] of Object.entries(theirs)) {
    const own = ours[name];
    if (value === null || value === undefined) continue;
    if (isObject(own) && isObject(value)) merged[name] = mergeMaps(own, value);
    else if (Array.isArray(own) && Array.isArray(value)) merged[name] = mergeLists(name, own, value);
    else merged[name] = value;
  }
  return merged;
}

function mergeLists(name: string, ours: readonly unknown[], theirs: readonly unknown[]): readonly unknown[] {
  const added = theirs.filter((entry) => !ours.some((own) => isSame(own, entry)));
  if (name === 'command' || name === 'args') return ours;
  if (!MERGED.has(name)) return [...ours, ...added];
  const merged = ours.map((own) => {
    const entry = theirs.find((one) => isSame(own, one));
    return isObject(own) && isObject(entry) ? mergeMaps(own, entry) : own;
  });
  return [...merged, ...added];
}

function isSame(own: unknown, entry: unknown): boolean {
  if (!isObject(own) || !isObject(entry)) return own === entry;
  // A volume may be mounted at several paths.
  const key = 'mountPath' in own ? 'mountPath' : 'name';
  return own[key] !== undefined && own[key] === entry[key];
}
