import { shown, shownText } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';

/** An object of a review. */
export type ConvertedObject = Readonly<Record<string, unknown>>;

/** The objects as the hook converted them, or why they do not count. */
export type Converted =
  | { readonly type: 'converted'; readonly objects: readonly ConvertedObject[] }
  | { readonly type: 'failed'; readonly message: string };

const MAX_MESSAGE = 1000;

/**
 * Compares what a hook returned with what it was given: the same objects in the same order, in the version `to`.
 * Nothing of their metadata may change but labels and annotations; a name, namespace or uid that does is refused, the
 * rest is put back, as the API server does.
 */
export function checkConverted(returned: readonly unknown[], given: readonly ConvertedObject[], to: string): Converted {
  if (returned.length !== given.length) {
    return failed(`it returned ${returned.length} objects, expected the ${given.length} that it was given`);
  }
  const objects: ConvertedObject[] = [];
  for (const [index, before] of given.entries()) {
    const after = returned[index];
    const problem = problemOf(after, before, to);
    if (problem !== undefined || !isObject(after)) return failed(`convertedObjects[${index}]${problem ?? ''}`);
    objects.push({ ...after, metadata: metadataOf(after, before) });
  }
  return { type: 'converted', objects };
}

function failed(message: string): Converted {
  return { type: 'failed', message: shownText(message, MAX_MESSAGE) };
}

const IDENTITY = ['name', 'namespace', 'uid'] as const;

function problemOf(after: unknown, before: ConvertedObject, to: string): string | undefined {
  if (!isObject(after)) return `: got ${shown(after)}, expected an object`;
  if (after['apiVersion'] !== to) return `.apiVersion: got ${shown(after['apiVersion'])}, expected "${to}"`;
  if (after['kind'] !== before['kind']) {
    return `.kind: got ${shown(after['kind'])}, expected ${shown(before['kind'])}`;
  }
  const { metadata } = after;
  if (!isObject(metadata)) return `.metadata: got ${shown(metadata)}, expected that of the object that it was given`;
  const old = isObject(before['metadata']) ? before['metadata'] : {};
  const changed = IDENTITY.find((field) => metadata[field] !== old[field]);
  if (changed === undefined) return undefined;
  return `.metadata.${changed}: got ${shown(metadata[changed])}, expected ${shown(old[changed])}, which must not change`;
}

function metadataOf(after: ConvertedObject, before: ConvertedObject): unknown {
  const {
    labels: _labels,
    annotations: _annotations,
    ...kept
  } = isObject(before['metadata']) ? before['metadata'] : {};
  const { labels, annotations } = isObject(after['metadata']) ? after['metadata'] : {};
  return { ...kept, ...(labels !== undefined && { labels }), ...(annotations !== undefined && { annotations }) };
}
