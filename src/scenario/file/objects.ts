import { isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { inside, type Place, report, reportValue } from '../../hook/config-reader.ts';
import { pathSegmentProblem } from '../../lib/path-segment.ts';
import { shown } from '../../lib/shown.ts';
import type { ObjectName } from '../world.ts';
import type { StoryContext } from './context.ts';
import { derived, either, type Field, list, oneOrMore, text } from './field.ts';
import { loadObjects } from './load-objects.ts';

/** What an object of a story must have. */
type Needs = 'name' | 'kind';

/** A Kubernetes object as in a manifest. */
export function manifest(context: StoryContext): Field<JsonObject> {
  return objectField(context, 'name');
}

/** Part of an object: its kind, and whatever else is expected of it. */
export function partialObject(context: StoryContext): Field<JsonObject> {
  return objectField(context, 'kind');
}

/** The name of an object, in the form of a manifest that has nothing else. */
export function objectName(context: StoryContext): Field<ObjectName> {
  return derived(objectField(context, 'name'), (object, place) => {
    const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
    const others = [
      ...Object.keys(object).filter((key) => !['apiVersion', 'kind', 'metadata'].includes(key)),
      ...Object.keys(metadata).flatMap((key) => (['name', 'namespace'].includes(key) ? [] : [`metadata.${key}`])),
    ];
    if (others[0] === undefined) return nameOf(object);
    return report(place, `got ${others.join(', ')}, expected only apiVersion, kind, metadata.name and namespace`);
  });
}

/** Objects in place, one or a list, or names of files that have them. */
export function objectsOrFiles(context: StoryContext): Field<readonly JsonObject[]> {
  const isPath = (value: unknown): boolean => typeof value === 'string';
  const one: Field<readonly JsonObject[]> = either(isPath, objectsOfFile(context), asList(manifest(context)));
  return derived(oneOrMore(one, 1000), (lists): readonly JsonObject[] => lists.flatMap((objects) => objects));
}

/** Objects in place. */
export function objectList(context: StoryContext): Field<readonly JsonObject[]> {
  return list(manifest(context));
}

/** Names of files with objects; `*` in the last part of a path stands for any text. */
export function objectFiles(context: StoryContext): Field<readonly JsonObject[]> {
  return derived(oneOrMore(objectsOfFile(context), 100), (lists) => lists.flat());
}

/** The name of an object; the namespace is empty where it has none. */
export function nameOf(object: JsonObject): ObjectName {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  return {
    apiVersion: textOf(object['apiVersion']),
    kind: textOf(object['kind']),
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function asList(field: Field<JsonObject>): Field<readonly JsonObject[]> {
  return derived(field, (value): readonly JsonObject[] => [value]);
}

function objectsOfFile(context: StoryContext): Field<readonly JsonObject[]> {
  return derived(text, (path, place): readonly JsonObject[] =>
    loadObjects(context, path, place)
      .map((object) => checked(object, { context, place, needs: 'name' }))
      .filter((object) => object !== undefined),
  );
}

function objectField(context: StoryContext, needs: Needs): Field<JsonObject> {
  return {
    read: (value, place) =>
      isJsonObject(value)
        ? checked(value, { context, place, needs })
        : reportValue(place, value, 'an object with apiVersion, kind and metadata'),
    schema: {
      type: 'object',
      properties: { apiVersion: text.schema, kind: text.schema, metadata: { type: 'object' } },
      required: ['apiVersion', 'kind', ...(needs === 'name' ? ['metadata'] : [])],
    },
  };
}

interface Check {
  readonly context: StoryContext;
  readonly place: Place;
  readonly needs: Needs;
}

function checked(object: JsonObject, { context, place, needs }: Check): JsonObject | undefined {
  const before = place.issues.length;
  const apiVersion = neededText(object, 'apiVersion', place);
  const kind = neededText(object, 'kind', place);
  const metadata = object['metadata'] ?? {};
  if (!isJsonObject(metadata)) reportValue(inside(place, 'metadata'), metadata, 'a mapping');
  else checkMetadata(metadata, inside(place, 'metadata'), needs);
  if (place.issues.length > before) return undefined;
  context.kindUses.push({ place, apiVersion, kind });
  if (kind === 'CustomResourceDefinition') context.definitions.push(object);
  return object;
}

function neededText(object: JsonObject, key: 'apiVersion' | 'kind', place: Place): string {
  const value = object[key];
  if (value !== undefined) return text.read(value, inside(place, key)) ?? '';
  report(inside(place, key), `missing, expected the ${key} of the object`);
  return '';
}

function checkMetadata(metadata: JsonObject, place: Place, needs: Needs): void {
  for (const key of ['name', 'namespace']) {
    const value = metadata[key];
    if (value === undefined && (key === 'namespace' || needs === 'kind')) continue;
    const name = value === undefined ? undefined : text.read(value, inside(place, key));
    if (value === undefined) report(inside(place, key), 'missing, expected the name of the object');
    const problem = name === undefined ? undefined : pathSegmentProblem(name);
    if (problem !== undefined) report(inside(place, key), `got ${shown(name)}, which ${problem}`);
  }
}
