import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isJsonArray, isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { isFile, isFolder } from '../../lib/file-kind.ts';
import { runAll } from '../../lib/run-all.ts';
import { shown } from '../../lib/shown.ts';
import { readYaml } from '../../lib/yaml.ts';
import type { Logger } from '../../log.ts';
import { fileChanges } from './file-changes.ts';
import { ManifestApplier } from './manifest-applier.ts';

export interface ManifestTarget {
  /** Creates or updates the object. */
  apply(object: JsonObject): Promise<unknown>;
  delete(object: JsonObject): Promise<void>;
}

/**
 * Applies files, and every YAML and JSON file of folders but a kustomization, in the order of `paths` and then of their
 * names. `follow` also applies changed files again, and deletes objects that are in no file any more.
 */
export function createManifests(paths: readonly string[], target: ManifestTarget, log: Logger) {
  const applied = new Map<string, readonly JsonObject[]>();
  const texts = new Map<string, string>();
  const applier = new ManifestApplier({ apply: async (object) => target.apply(object), identity, log });

  // Of one folder the names are enough.
  const nameOf = (file: string): string => (paths.length === 1 ? basename(file) : file);

  const applyFile = async (file: string): Promise<void> => {
    const text = await readText(file, log);
    if (text === undefined || texts.get(file) === text) return;
    texts.set(file, text);
    const objects = parseManifest(nameOf(file), text, log);
    if (objects === undefined) return;
    applier.forget(nameOf(file));
    applied.set(file, objects);
    for (const object of objects) await applier.apply(object, nameOf(file));
  };

  const applyAll = async (): Promise<void> => {
    const before = objectsOf(applied);
    const files = (await Promise.all(paths.map(listFiles))).flat();
    for (const file of files) await applyFile(file);
    for (const file of [...texts.keys()].filter((known) => !files.includes(known))) {
      texts.delete(file);
      applied.delete(file);
      applier.forget(nameOf(file));
    }
    await applier.settle();
    // Compared over all files, so that an object can move to another file. In reverse order, so that objects are
    // deleted before their namespace.
    const kept = objectsOf(applied);
    const gone = [...before].filter(([key]) => !kept.has(key)).map(([, object]) => object);
    for (const object of gone.toReversed()) await deleteObject(target, object, log);
  };

  let turn = Promise.resolve();
  const inTurn = async (): Promise<void> => {
    turn = turn.then(applyAll);
    await turn;
  };
  return {
    applyAll,
    /** Applies all again, then whenever a file changes, until `signal` aborts. */
    async follow(signal: AbortSignal): Promise<void> {
      const folders = new Set(paths.map((path) => (isFolder(path) ? path : dirname(path))));
      const parts = [...folders].map((folder) => async (stop: AbortSignal) => {
        const changes = fileChanges(folder, stop);
        await inTurn();
        for await (const _ of changes) await inTurn();
      });
      await runAll(parts, signal);
    },
  };
}

function objectsOf(applied: ReadonlyMap<string, readonly JsonObject[]>): ReadonlyMap<string, JsonObject> {
  return new Map([...applied.values()].flat().map((object) => [identity(object, 'default'), object]));
}

async function listFiles(path: string): Promise<readonly string[]> {
  if (isFile(path)) return [path];
  try {
    const names = await readdir(path);
    const isManifest = (name: string): boolean =>
      /\.(?:ya?ml|json)$/.test(name) && !/^(?:\.|kustomization\.)/.test(name);
    return names
      .filter(isManifest)
      .toSorted()
      .map((name) => join(path, name));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Far above the size of any bundle that a project publishes. */
const MAX_MANIFEST_BYTES = 32 * 1024 * 1024;

/** The text of a file; logs an error and returns `undefined` when it cannot be read. */
async function readText(path: string, log: Logger): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    const problem = stats.isFile() ? undefined : 'not a file';
    const refused = stats.size > MAX_MANIFEST_BYTES ? `more than ${MAX_MANIFEST_BYTES} bytes` : problem;
    if (refused === undefined) return await readFile(path, 'utf8');
    log.error({ path, problem: refused }, 'manifest cannot be read');
    return undefined;
  } catch (error) {
    // The file was removed in the meantime: that is no error.
    if (codeOf(error) !== 'ENOENT') log.error({ path, err: error }, 'manifest cannot be read');
    return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function deleteObject(target: ManifestTarget, object: JsonObject, log: Logger): Promise<void> {
  try {
    await target.delete(object);
    log.info({ object: identity(object) }, 'manifest deleted');
  } catch (error) {
    log.error({ object: identity(object), err: error }, 'manifest could not be deleted');
  }
}

/** The objects of one file; logs every problem and returns `undefined` when there are any. */
function parseManifest(file: string, text: string, log: Logger): readonly JsonObject[] | undefined {
  const problems: string[] = [];
  const objects: JsonObject[] = [];
  for (const [index, document] of readYaml(text, { maxCharacters: MAX_MANIFEST_BYTES }).entries()) {
    if (document.type === 'broken') {
      const found = document.problems.map(
        ({ line, column, message }) => `${message} at line ${line}, column ${column}`,
      );
      problems.push(...found.map((message) => `not YAML: ${message}`));
      continue;
    }
    for (const value of expandList(document.value)) {
      const problem = problemOf(value);
      if (problem === undefined && isJsonObject(value)) objects.push(value);
      else if (problem !== undefined) problems.push(`document ${index + 1}: ${problem}`);
    }
  }
  for (const problem of problems) log.error({ file, problem }, 'manifest is broken and was not applied');
  return problems.length > 0 ? undefined : objects;
}

/** Why a document is not a Kubernetes object; `undefined` for an object and for an empty document. */
function problemOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isJsonObject(value)) return `got ${shown(value)}, expected a Kubernetes object`;
  const missing = ['apiVersion', 'kind'].filter((key) => typeof value[key] !== 'string');
  return missing.length === 0 ? undefined : `no ${missing.join(' and no ')}`;
}

function expandList(value: unknown): readonly unknown[] {
  const items = isJsonObject(value) && value['kind'] === 'List' ? value['items'] : undefined;
  return isJsonArray(items) ? items : [value];
}

/** `v1/ConfigMap/team-a/registry`; `otherwise` is used for a missing namespace. */
function identity(object: JsonObject, otherwise?: string): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const parts = [object['apiVersion'], object['kind'], metadata['namespace'] ?? otherwise, metadata['name']];
  return parts.filter((part) => typeof part === 'string').join('/');
}
