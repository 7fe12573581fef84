import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Logger } from '../log.ts';
import { fileChanges } from './file-changes.ts';

/** A Kubernetes object as a manifest has it. */
export type ManifestObject = Readonly<Record<string, unknown>>;

export interface ManifestTarget {
  /** Creates or updates; resolves to what was done, such as `created`. */
  apply(object: ManifestObject): Promise<string>;
  delete(object: ManifestObject): Promise<void>;
}

interface AppliedFile {
  readonly text: string;
  readonly objects: readonly ManifestObject[];
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

  const deleteObjects = async (objects: readonly ManifestObject[]): Promise<void> => {
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
  object: ManifestObject,
  { file, log }: { readonly file: string; readonly log: Logger },
): Promise<void> {
  try {
    const change = await target.apply(object);
    log.info({ object: identity(object), file, change }, 'manifest applied');
  } catch (error) {
    log.error({ object: identity(object), file, err: error }, 'manifest could not be applied');
  }
}

/** The documents of one file; undefined, after one line for each problem, when it is broken. */
function parseManifest(file: string, text: string, log: Logger): readonly ManifestObject[] | undefined {
  const documents = parseAllDocuments(text);
  const problems = documents.flatMap((document) => document.errors.map((error) => error.message));
  const values = problems.length > 0 ? [] : documents.map((document): unknown => document.toJS());
  const objects = values.filter((value) => value !== null).flatMap(expandList);
  for (const object of objects) {
    const missing = ['apiVersion', 'kind'].filter((key) => typeof object[key] !== 'string');
    if (missing.length > 0) problems.push(`a document has no ${missing.join(' and no ')}`);
  }
  for (const problem of problems) log.error({ file, problem }, 'manifest is broken and was not applied');
  return problems.length > 0 ? undefined : objects;
}

function expandList(value: unknown): readonly ManifestObject[] {
  if (!isObject(value)) return [{ value }];
  const items = value['items'];
  return value['kind'] === 'List' && Array.isArray(items) ? items.filter(isObject) : [value];
}

function isObject(value: unknown): value is ManifestObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function identity(object: ManifestObject): string {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const parts = [object['apiVersion'], object['kind'], metadata['namespace'], metadata['name']];
  return parts.filter((part) => typeof part === 'string').join('/');
}
