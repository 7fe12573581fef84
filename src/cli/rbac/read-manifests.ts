import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../errors.ts';
import { shown } from '../../lib/shown.ts';
import { readYaml } from '../../lib/yaml.ts';
import { messageOf } from '../../lib/message-of.ts';
import { isObject } from '../../lib/json-object.ts';
import type { PlacedObject } from '../../rights/granted.ts';

const MAX_FILE = 16 * 1024 * 1024;
const MAX_FILES = 1000;

/** Reads all objects of YAML and JSON files and folders; throws one `UsageError` with all problems. */
export async function readManifests(flag: string, paths: readonly string[]): Promise<readonly PlacedObject[]> {
  const problems: string[] = [];
  const objects: PlacedObject[] = [];
  for (const path of paths) {
    for (const file of await filesOf(flag, path, problems)) objects.push(...(await readObjects(flag, file, problems)));
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return objects;
}

async function filesOf(flag: string, path: string, problems: string[]): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = await readdir(path, { recursive: true });
    const files = names.filter((name) => /\.(?:ya?ml|json)$/.test(name)).toSorted();
    if (files.length <= MAX_FILES) return files.map((name) => join(path, name));
    problems.push(`${flag}: ${path} has ${files.length} files, expected at most ${MAX_FILES}`);
  } catch (error) {
    problems.push(`${flag}: ${path} cannot be read: ${messageOf(error)}`);
  }
  return [];
}

async function readObjects(flag: string, file: string, problems: string[]): Promise<readonly PlacedObject[]> {
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE) throw new Error(`it has ${size} bytes, expected at most ${MAX_FILE}`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    problems.push(`${flag}: ${file} cannot be read: ${messageOf(error)}`);
    return [];
  }
  return readYaml(text, { maxCharacters: MAX_FILE }).flatMap((document) => {
    if (document.type === 'broken') {
      const found = document.problems.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
      problems.push(...found);
      return [];
    }
    const { line, value } = document;
    return itemsOf(value).flatMap((object: unknown): PlacedObject | [] => {
      if (object === null || object === undefined) return [];
      if (isObject(object)) return { file, line, object };
      problems.push(`${file}:${line}: received ${shown(object)}, expected a Kubernetes object`);
      return [];
    });
  });
}

function itemsOf(value: unknown): readonly unknown[] {
  const isList = isObject(value) && value['kind'] === 'List' && Array.isArray(value['items']);
  return isList && Array.isArray(value['items']) ? value['items'] : [value];
}
