import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Logger } from '../log.ts';
import { isJsonArray, isJsonObject, type JsonObject } from '../sandbox/json.ts';
import { fileChanges } from './file-changes.ts';

export interface ManifestTarget {
  /** Creates or updates. */
  apply(object: JsonObject): Promise<unknown>;
  delete(object: JsonObject): Promise<void>;
}

interface AppliedFile {
  readonly text: string;
  readonly objects: readonly JsonObject[];
}

/**
 * Applies every YAML or JSON file of `dir` in the order of their names. `follow` then applies changed files again and
 * deletes what is no longer in any file.
 */
export function createManifests(dir: string, target: ManifestTarget, log: Logger) {
  const applied = new Map<string, AppliedFile>();

  const applyFile = async (file: string): Promise<void> => {
    const text = await readFile(join(dir, file), 'utf8');
    const previous = applied.get(file);
    if (previous?.text === text) return;
    const objects = parseManifest(file, text, log);
    if (objects === undefined) return;
    applied.set(file, { text, objects });
    for (const object of objects) await applyObject(target, object, { file, log });
    const kept = new Set(objects.map(identity));
    await deleteObjects(previous?.objects.filter((object) => !kept.has(identity(object))) ?? []);
  };

  const deleteObjects = async (objects: readonly JsonObject[]): Promise<void> => {
    for (const object of objects) {
      try {
        await target.delete(object);
        log.info({ object: identity(object) }, 'manifest deleted');
      } catch (error) {
        log.error({ object: identity(object), err: error }, 'manifest could not be deleted');
      }
    }
  };

  const applyAll = async (): Promise<void> => {
    const names = await readdir(dir);
    const files = names.filter((name) => /\.(?:ya?ml|json)$/.test(name) && !name.startsWith('.')).toSorted();
    for (const file of files) await applyFile(file);
    for (const [file, { objects }] of applied) {
      if (files.includes(file)) continue;
      applied.delete(file);
      await deleteObjects(objects);
    }
  };

  return {
    applyAll,
    /** Follows the folder until `signal` aborts. */
    async follow(signal: AbortSignal): Promise<void> {
      for await (const _ of fileChanges(dir, signal)) await applyAll();
    },
  };
}

async function applyObject(
  target: ManifestTarget,
  object: JsonObject,
  { file, log }: { readonly file: string; readonly log: Logger },
): Promise<void> {
  try {
    await target.apply(object);
    log.info({ object: identity(object), file }, 'manifest applied');
  } catch (error) {
    log.error({ object: identity(object), file, err: error }, 'manifest could not be applied');
  }
}

/** The objects of one file; undefined, after one line for each problem, when it is broken. */
function parseManifest(file: string, text: string, log: Logger): readonly JsonObject[] | undefined {
  const documents = parseAllDocuments(text);
  const problems = documents.flatMap((document) => document.errors.map((error) => error.message));
  const objects: JsonObject[] = [];
  for (const value of problems.length > 0 ? [] : documents.flatMap((document) => expandList(document.toJS()))) {
    const problem = problemOf(value);
    if (problem === undefined && isJsonObject(value)) objects.push(value);
    else if (problem !== undefined) problems.push(problem);
  }
  for (const problem of problems) log.error({ file, problem }, 'manifest is broken and was not applied');
  return problems.length > 0 ? undefined : objects;
}

/** What keeps a document from being an object; an empty document is neither. */
function problemOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isJsonObject(value)) return `got ${JSON.stringify(value)}, expected a Kubernetes object`;
  const missing = ['apiVersion', 'kind'].filter((key) => typeof value[key] !== 'string');
  return missing.length === 0 ? undefined : `a document has no ${missing.join(' and no ')}`;
}

function expandList(value: unknown): readonly unknown[] {
  const items = isJsonObject(value) && value['kind'] === 'List' ? value['items'] : undefined;
  return isJsonArray(items) ? items : [value];
}

function identity(object: JsonObject): string {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const parts = [object['apiVersion'], object['kind'], metadata['namespace'], metadata['name']];
  return parts.filter((part) => typeof part === 'string').join('/');
}
