import { messageOf } from '../../lib/message-of.ts';
import { isObject } from '../../lib/json-object.ts';

/*
 * The sandbox of a replay. It is made in two steps: one sandbox takes the definitions, namespaces and given objects as an
 * API server takes them; its state and the objects that the run saw, exactly as they were, are what the second one starts
 * with. What must hold, whatever a recording says: the sandbox calls nobody. So objects that register webhooks are left
 * out, and definitions have no converter.
 */

import { type JsonObject, type Sandbox, type StorageState, isJsonObject, startSandbox } from '@hooklet/sandbox';
import { isLocalHost } from '../../lib/local-host.ts';
import { builtIn, isDefinition, madeUpKinds, type Collection } from './made-up-kinds.ts';
import type { SeenObject } from './seen-objects.ts';

export interface ReplaySandbox {
  readonly sandbox: Sandbox;
  /** What could not be put into it, in words. */
  readonly notes: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_REVISION = 2 ** 52;
const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const CALLERS = new Set(['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']);
const SERVER_SET = new Set(['uid', 'resourceVersion', 'managedFields', 'creationTimestamp', 'generation', 'selfLink']);

/**
 * Starts a sandbox with the objects that a run saw: with their uid, version and status. `given` is applied before them; a
 * kind that is neither built in nor given gets a CustomResourceDefinition that takes anything. `written` are objects that
 * the run wrote, for their kinds and namespaces alone.
 */
export async function fillSandbox(
  seen: readonly SeenObject[],
  { given, written }: { readonly given: readonly SeenObject[]; readonly written: readonly SeenObject[] },
): Promise<ReplaySandbox> {
  const notes = new Notes();
  const options = { anonymous: true, isHostAllowed: (host: string | undefined) => isLocalHost(host) };
  await using first = await startSandbox(options);
  const apply = async (object: Fields): Promise<void> =>
    notes.unless(async () => void (isJsonObject(object) && (await first.apply(object))));
  const [there, added] = [notes.withoutCallers(seen), notes.withoutCallers(given)];
  const all = [...there, ...added, ...written];
  const definitions = [...added, ...there].filter(isDefinition);
  for (const { object } of definitions) await apply(withoutConverter(object));
  for (const object of madeUpKinds(all, definitions)) await apply(object);
  const namespaces = new Set(all.map(({ namespace }) => namespace));
  for (const name of namespaces) if (NAME.test(name)) await apply(namespaceCalled(name));
  for (const one of added) if (!isDefinition(one)) await apply(withoutServerFields(one.object));
  const state = withObjects(first.state, there, notes);
  // The owners of objects may not have been recorded.
  return { sandbox: await startSandbox({ ...options, state, leaves: ['garbageCollection'] }), notes: notes.texts };
}

const MAX_NOTES = 20;

class Notes {
  readonly texts: string[] = [];

  add(text: string): void {
    if (this.texts.length < MAX_NOTES) this.texts.push(text);
  }

  async unless(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.add(`not in the sandbox: ${messageOf(error)}`);
    }
  }

  withoutCallers(objects: readonly SeenObject[]): readonly SeenObject[] {
    return objects.filter(({ kind, name }) => {
      const isCaller = CALLERS.has(kind);
      if (isCaller) this.add(`not in the sandbox: ${kind} ${name}, whose webhooks would be called`);
      return !isCaller;
    });
  }
}

function namespaceCalled(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function withoutConverter(definition: Fields): Fields {
  const { status: _status, ...object } = withoutServerFields(definition);
  const { conversion: _conversion, ...spec } = isObject(object['spec']) ? object['spec'] : {};
  return { ...object, spec };
}

function withoutServerFields(object: Fields): Fields {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const own = Object.entries(metadata).filter(([key]) => !SERVER_SET.has(key));
  return { ...object, metadata: Object.fromEntries(own) };
}

function withObjects(state: StorageState, seen: readonly SeenObject[], notes: Notes): StorageState {
  const places = new Map(collectionsOf(state));
  let { revision } = state;
  const added: StorageState['objects'][number][] = [];
  for (const one of seen.filter((other) => !isDefinition(other))) {
    const place = places.get(`${one.apiVersion} ${one.kind}`) ?? builtIn(one);
    const { object } = one;
    if (place === undefined || !isJsonObject(object)) {
      notes.add(`not in the sandbox: ${one.kind} ${one.namespace}/${one.name} of ${one.apiVersion}`);
      continue;
    }
    const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
    const own = Number(metadata['resourceVersion']);
    const isOwn = Number.isSafeInteger(own) && own > 0 && own < MAX_REVISION;
    const resourceVersion = String(isOwn ? own : revision);
    revision = Math.max(revision, Number(resourceVersion));
    const stored = { ...object, apiVersion: place.storedApiVersion, metadata: { ...metadata, resourceVersion } };
    added.push({ collection: place.collection, object: stored });
  }
  const keys = new Set(added.map(keyOf));
  return { revision, objects: [...state.objects.filter((old) => !keys.has(keyOf(old))), ...added] };
}

/** Tells the objects of a sandbox apart. */
export function keyOf({ collection, object }: StorageState['objects'][number]): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  return JSON.stringify([collection, metadata['namespace'] ?? '', metadata['name']]);
}

/** Where the objects of custom kinds are stored. */
function* collectionsOf({ objects }: StorageState): Generator<readonly [string, Collection]> {
  for (const { object } of objects) {
    if (object['kind'] !== 'CustomResourceDefinition') continue;
    const spec = isJsonObject(object['spec']) ? object['spec'] : {};
    const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
    const names = isJsonObject(spec['names']) ? spec['names'] : {};
    const versions = Array.isArray(spec['versions']) ? spec['versions'].filter(isJsonObject) : [];
    const stored = versions.find((one) => one['storage'] === true);
    for (const { name } of versions) {
      const group = textOf(spec['group']);
      const storedApiVersion = `${group}/${textOf(stored?.['name'] ?? name)}`;
      const collection = textOf(metadata['name']);
      yield [`${group}/${textOf(name)} ${textOf(names['kind'])}`, { collection, storedApiVersion }];
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
