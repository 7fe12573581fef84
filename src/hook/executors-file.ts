import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import type { Issue } from '../errors.ts';
import { isObject } from '../lib/json-object.ts';
import { messageOf } from '../lib/message-of.ts';
import { shown } from '../lib/shown.ts';
import { readConfigDocument } from './config-document.ts';
import { EXECUTOR_TEXT, readExecutor } from './config-executor.ts';
import { readFields, readList, readText, report, type Place } from './config-reader.ts';
import type { ExecutorRule } from './executor-rule.ts';

/** The file in the hooks folder that says where hooks run, for an image that shell-operator runs as well. */
export const EXECUTORS_FILE = 'hooklet-executors.yaml';

/** Where a hook of the folder runs, by its name: nothing is said, a rule, or what is wrong with the file. */
export type ExecutorOf = (hook: string) => FileExecutor | undefined;

export type FileExecutor = { readonly rule: ExecutorRule } | { readonly issues: readonly Issue[] };

const readEntry = readFields(
  { hooks: readList(readText, 1), executor: readExecutor },
  { required: { hooks: 'a list of names of hooks such as backup/*', executor: EXECUTOR_TEXT } },
);
const readFile = readFields(
  { executors: readList(readEntry, 1) },
  { required: { executors: 'a list of hooks and executor' } },
);
const MAX_BYTES = 256 * 1024;
const EMPTY = 'it is empty, expected executors: [...]';
const MORE_TEXT = 'got more than one document, expected all entries in the first';
/** Blank lines, comments, and the marks of documents. */
const NOTHING = /^(?:[^\S\n]*(?:#[^\n]*|---|\.\.\.)?(?:\n|$))*$/;

const MISTYPED = /^hooklet-executors?\.ya?ml$/;

/** Why a file below the hooks folder `root` that somebody took for that of the executors is not read; else undefined. */
export function misplacedExecutors(root: string, path: string): string | undefined {
  const name = basename(path);
  if (name !== EXECUTORS_FILE && MISTYPED.test(name)) return `not read: did you mean ${EXECUTORS_FILE}?`;
  const isElsewhere = name === EXECUTORS_FILE && dirname(path) !== root;
  return isElsewhere ? 'not read: put it into the top folder of the hooks' : undefined;
}

/**
 * Reads the file of a folder. With a mistake in it no hook may run: one that is meant to be apart would run in the Pod of
 * the operator.
 */
export function readExecutorsFile(hooksDir: string): ExecutorOf {
  const read = readEntries(hooksDir);
  if ('issues' in read) return () => read;
  return (hook) => {
    const found = read.entries.find(({ hooks = [] }) => hooks.some((pattern) => matchesGlob(hook, pattern)));
    return found?.executor && { rule: found.executor };
  };
}

/** The patterns in the file of a folder that name none of these hooks; none where the file cannot be read. */
export function unmatchedPatterns(hooksDir: string, hooks: readonly string[]): readonly string[] {
  const read = readEntries(hooksDir);
  const patterns = 'issues' in read ? [] : read.entries.flatMap((entry) => entry.hooks ?? []);
  return patterns.filter((pattern) => !hooks.some((hook) => matchesGlob(hook, pattern)));
}

type ReadEntries =
  | { readonly entries: readonly ReturnType<typeof readEntry>[] }
  | { readonly issues: readonly Issue[] };

function readEntries(hooksDir: string): ReadEntries {
  const text = textOf(join(hooksDir, EXECUTORS_FILE));
  if (text.type === 'none') return { entries: [] };
  if (text.type === 'unreadable') return { issues: [{ path: EXECUTORS_FILE, message: text.message }] };
  const place: Place = { path: '', issues: [] };
  const entries = readDocument(text.text, place);
  return place.issues.length > 0 ? { issues: place.issues.map(inFile) } : { entries };
}

function readDocument(text: string, place: Place): readonly ReturnType<typeof readEntry>[] {
  if (NOTHING.test(text)) return report(place, EMPTY) ?? [];
  const document = readConfigDocument(text);
  if (document.type === 'unreadable') {
    place.issues.push(...document.issues);
    return [];
  }
  if (document.warnings !== undefined) report(place, MORE_TEXT);
  if (isObject(document.value)) return readFile(document.value, place).executors ?? [];
  return report(place, `got ${shown(document.value)}, expected a mapping with executors`) ?? [];
}

/** The line is that of the file, not of the hook. */
function inFile({ path, message }: Issue): Issue {
  return { message, path: `${EXECUTORS_FILE}${path === '' ? '' : `: ${path}`}` };
}

type FileText =
  | { readonly type: 'none' }
  | { readonly type: 'unreadable'; readonly message: string }
  | { readonly type: 'text'; readonly text: string };

function textOf(path: string): FileText {
  try {
    // Opening a pipe would block until there is a writer.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) return { type: 'unreadable', message: 'it is no file' };
      if (stats.size > MAX_BYTES)
        return { type: 'unreadable', message: `got ${stats.size} bytes, expected at most ${MAX_BYTES}` };
      return { type: 'text', text: readFileSync(fd, 'utf8') };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? { type: 'none' } : { type: 'unreadable', message: `it cannot be read: ${messageOf(error)}` };
  }
}
