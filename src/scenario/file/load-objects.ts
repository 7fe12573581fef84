import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isJsonArray, isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { type Place, report } from '../../hook/config-reader.ts';
import { shown } from '../../lib/shown.ts';
import { readYaml } from '../../lib/yaml.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { StoryContext } from './context.ts';

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_FILES = 100;

/**
 * The objects of a file of YAML or JSON, or of all files that a path with `*` in its last part names, in the order of
 * their names. Every problem is reported at `place`, with the file and line of the object.
 */
export function loadObjects(context: StoryContext, path: string, place: Place): readonly JsonObject[] {
  const whole = resolve(context.folder, path);
  const files = isPattern(path) ? filesOf(whole) : [whole];
  context.paths.add(isPattern(path) ? dirname(whole) : whole);
  if (files.length === 0) report(place, `got ${shown(path)}, which no file matches in ${dirname(whole)}`);
  if (files.length > MAX_FILES) report(place, `got ${shown(path)}, which more than ${MAX_FILES} files match`);
  return files.slice(0, MAX_FILES).flatMap((file) => objectsIn(file, context, place));
}

function isPattern(path: string): boolean {
  return basename(path).includes('*');
}

function filesOf(pattern: string): readonly string[] {
  const folder = dirname(pattern);
  return globSync(basename(pattern), { cwd: folder })
    .toSorted()
    .map((name) => join(folder, name));
}

function objectsIn(file: string, { folder }: StoryContext, place: Place): readonly JsonObject[] {
  const shownFile = relative(folder, file);
  const text = textOf(file, shownFile, place);
  if (text === undefined) return [];
  return readYaml(text, { maxCharacters: MAX_FILE_BYTES }).flatMap((document) => {
    if (document.type === 'value') return objectsOf(document.value, `${shownFile}:${document.line}`, place);
    for (const { line, message } of document.problems.slice(0, 3)) report(place, `${shownFile}:${line}: ${message}`);
    return [];
  });
}

function textOf(file: string, shownFile: string, place: Place): string | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return report(place, `${shownFile} is not a file`);
    if (stats.size > MAX_FILE_BYTES) return report(place, `${shownFile} has more than ${MAX_FILE_BYTES} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = messageOf(error);
    return report(place, `${shownFile} cannot be read: ${reason}`);
  }
}

function objectsOf(value: unknown, at: string, place: Place): readonly JsonObject[] {
  if (value === null || value === undefined) return [];
  const items = isJsonObject(value) && value['kind'] === 'List' ? value['items'] : [value];
  if (!isJsonArray(items)) return report(place, `${at}: items: got ${shown(items)}, expected a list`) ?? [];
  return items.flatMap((item) =>
    isJsonObject(item) ? [item] : (report(place, `${at}: got ${shown(item)}, expected a Kubernetes object`) ?? []),
  );
}
