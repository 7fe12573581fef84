import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { at, objectAt, objectsAt, textAt } from './json-fields.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { nameOf, resourceVersionOf } from './object-meta.ts';
import type { StorageState } from './storage.ts';

const KIND = 'SandboxState';

/**
 * Reads the state of a sandbox from a file; undefined if the file does not exist. Throws if it holds something else.
 */
export function readStateFile(path: string): StorageState | undefined {
  if (!existsSync(path)) return undefined;
  const state = parsed(readFileSync(path, 'utf8'));
  const problem = typeof state === 'string' ? state : problemOf(state);
  if (problem !== undefined || typeof state === 'string') {
    throw new Error(`${path} does not hold the state of a sandbox: ${problem}`);
  }
  return {
    revision: Number(textAt(state, 'resourceVersion')),
    objects: objectsAt(state, 'objects').map((entry) => ({
      collection: textAt(entry, 'collection'),
      object: objectAt(entry, 'object'),
    })),
  };
}

function parsed(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : 'it is no JSON object';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function problemOf(state: JsonObject): string | undefined {
  if (textAt(state, 'kind') !== KIND) return `kind is ${JSON.stringify(at(state, 'kind'))}, expected "${KIND}"`;
  const revision = Number(textAt(state, 'resourceVersion'));
  if (!isRevision(revision)) return `resourceVersion is ${JSON.stringify(at(state, 'resourceVersion'))}`;
  const wrong = objectsAt(state, 'objects').findIndex((entry) => {
    const object = objectAt(entry, 'object');
    const own = Number(resourceVersionOf(object));
    return textAt(entry, 'collection') === '' || nameOf(object) === '' || !isRevision(own) || own > revision;
  });
  return wrong < 0 ? undefined : `objects[${wrong}] is no object that was stored`;
}

function isRevision(revision: number): boolean {
  return Number.isSafeInteger(revision) && revision > 0;
}

/** Writes the state of a sandbox to a file atomically. */
export function writeStateFile(path: string, { revision, objects }: StorageState): void {
  const next = `${path}.${randomUUID()}.new`;
  const lines = objects.map((entry) => JSON.stringify(entry));
  const head = `{"kind":"${KIND}","resourceVersion":"${revision}","objects":[`;
  try {
    writeFileSync(next, `${head}\n${lines.join(',\n')}\n]}\n`, { mode: 0o600 });
    renameSync(next, path);
  } finally {
    rmSync(next, { force: true });
  }
}
