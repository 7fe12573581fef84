import { messageOf } from '../../lib/message-of.ts';
import { isObject } from '../../lib/json-object.ts';

/*
 * Reads scenario files. A file is YAML or JSON with one story or several. Nothing is guessed: an unknown field, a word
 * that is none, an object of a kind that nobody serves, and an expectation that can never hold are problems, and all
 * problems of a file are told at once, each with its line, its path and what was found there.
 */

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { JsonObject } from '@hooklet/sandbox';
import type { Issue } from '../../errors.ts';
import { inside, type Place, present, report } from '../../hook/config-reader.ts';
import { partsOf } from '../../hook/issue-path.ts';
import { shown } from '../../lib/shown.ts';
import { readYaml, type YamlDocument } from '../../lib/yaml.ts';
import { type FindLine, yamlDocumentLines } from '../../lib/yaml-lines.ts';
import type { Scenario } from '../scenario.ts';
import type { StoryContext } from './context.ts';
import { findHooks, findStandIns, type StoryHooks } from './find-hooks.ts';
import { checkKinds, knownKinds, type KnownKinds, withNamespace } from './kinds.ts';
import { story, type Story, type StoryGiven } from './story.ts';
import { checkTimes, DEFAULT_START_MS } from './times.ts';

/** A problem of a scenario file. */
export interface FileProblem {
  readonly file: string;
  readonly line: number;
  /** Such as `steps[1].expect.runs[0].hook`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

export interface ReadScenarios {
  /** The stories that have no problem. */
  readonly scenarios: readonly Scenario[];
  readonly problems: readonly FileProblem[];
}

export interface ReadOptions {
  /** Options of `hooklet start` that a story may set. */
  readonly optionNames: readonly string[];
  /** Where hooks are if there is no folder `hooks` beside the file or above it, absolute. */
  readonly hooksDir: string;
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_STORIES = 100;
const MAX_OBJECTS = 5000;
const MAX_YAML_PROBLEMS = 10;

/** Reads all stories of a file; problems are returned, never thrown. */
export async function readScenarioFile(file: string, options: ReadOptions): Promise<ReadScenarios> {
  const text = textOf(file);
  if (typeof text !== 'string')
    return { scenarios: [], problems: [{ file, line: 1, path: '', message: text.message }] };
  return readScenarios(file, text, options);
}

function textOf(file: string): string | Error {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return new Error('not a file');
    if (stats.size > MAX_FILE_BYTES) return new Error(`got ${stats.size} bytes, expected at most ${MAX_FILE_BYTES}`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    return new Error(`cannot be read: ${messageOf(error)}`);
  }
}

/** Reads all stories of a text; `file` is the path from which it came. */
export async function readScenarios(file: string, text: string, options: ReadOptions): Promise<ReadScenarios> {
  const documents = readYaml(text, { maxCharacters: MAX_FILE_BYTES });
  const broken = documents.flatMap((document) => (document.type === 'broken' ? document.problems : []));
  if (broken.length > 0) {
    const problems = broken.slice(0, MAX_YAML_PROBLEMS).map(({ line, message }) => ({ file, line, path: '', message }));
    return { scenarios: [], problems };
  }
  const lines = yamlDocumentLines(text);
  const found = documents.flatMap((document, index) => storyDocument(document, index, lines));
  const whole = wholeProblem(found.length);
  if (whole !== undefined) return { scenarios: [], problems: [{ file, line: 1, path: '', message: whole }] };
  const read: ReadScenarios[] = [];
  for (const one of found) read.push(await readStory(file, one, { ...options, isOnly: found.length === 1 }));
  const scenarios = read.flatMap((one) => one.scenarios);
  return { scenarios, problems: [...read.flatMap((one) => one.problems), ...sameNames(scenarios)] };
}

/** Reads one story that is not from a file; its paths are relative to `folder`. Problems have no lines. */
export async function readStoryValue(value: JsonObject, folder: string, options: ReadOptions): Promise<ReadScenarios> {
  const document = { value, index: 0, line: 1, findLine: () => 1 };
  return readStory(resolve(folder, 'story'), document, { ...options, isOnly: true });
}

interface StoryDocument {
  readonly value: unknown;
  readonly index: number;
  readonly line: number;
  readonly findLine: FindLine;
}

function storyDocument(document: YamlDocument, index: number, lines: readonly FindLine[]): readonly StoryDocument[] {
  if (document.type === 'broken' || document.value === null || document.value === undefined) return [];
  return [{ value: document.value, index, line: document.line, findLine: lines[index] ?? (() => document.line) }];
}

function wholeProblem(stories: number): string | undefined {
  if (stories === 0) return 'has no story, expected a mapping with name, given, steps and expect';
  return stories > MAX_STORIES ? `got ${stories} stories, expected at most ${MAX_STORIES} in a file` : undefined;
}

function sameNames(scenarios: readonly Scenario[]): readonly FileProblem[] {
  return scenarios.flatMap(({ file, line, name }, index) => {
    const first = scenarios.findIndex((one) => one.name === name);
    const message = `got ${shown(name)}, the name of the story in line ${scenarios[first]?.line}; each needs its own`;
    return first < index ? [{ file, line, path: 'name', message }] : [];
  });
}

type StoryOptions = ReadOptions & { readonly isOnly: boolean };

async function readStory(file: string, document: StoryDocument, options: StoryOptions): Promise<ReadScenarios> {
  const { value, findLine } = document;
  const issues: Issue[] = [];
  const place: Place = { path: '', issues };
  const folder = dirname(resolve(file));
  const hooks = await findHooks(value, { folder, place, hooksDir: options.hooksDir });
  const programs = programsOf(value, { folder, place });
  const context = contextOf({ folder, hooks, programs, optionNames: options.optionNames });
  const read = story(context).read(value, place);
  const kinds = knownKinds(context.definitions);
  checkKinds(context.kindUses, kinds);
  if (read !== undefined) checkWhole(read, place);
  const name = storyName(read, { file, isOnly: options.isOnly, place });
  const problems = issues.map(({ path, message }) => ({ file, line: findLine(partsOf(path)), path, message }));
  const isWhole = problems.length === 0 && read !== undefined && hooks !== undefined;
  if (!isWhole) return { scenarios: [], problems };
  const paths = [...context.paths];
  return { scenarios: [scenarioOf(read, { file, name, paths, document, hooks, programs, kinds })], problems };
}

interface Naming {
  readonly file: string;
  /** Whether the file has no other story. */
  readonly isOnly: boolean;
  readonly place: Place;
}

/** The name of the story; the only one of a file may have that of the file. */
function storyName(read: Story | undefined, { file, isOnly, place }: Naming): string {
  if (read === undefined || read.name !== undefined) return read?.name ?? '';
  if (!isOnly) report(inside(place, 'name'), 'missing, expected what this story tells');
  return nameOf(file);
}

interface Programs {
  readonly dir?: string;
  /** Absent when they are not known. */
  readonly names?: readonly string[];
}

function programsOf(value: unknown, { folder, place }: { readonly folder: string; readonly place: Place }): Programs {
  const given = isObject(value) ? value['given'] : undefined;
  const path = isObject(given) ? given['programs'] : undefined;
  if (path === undefined) return { names: [] };
  // What is no path is reported where the field is read.
  if (typeof path !== 'string' || path === '') return {};
  const dir = resolve(folder, path);
  const names = findStandIns(dir, inside(inside(place, 'given'), 'programs'));
  return { dir, ...present({ names }) };
}

interface ContextParts {
  readonly folder: string;
  readonly hooks: StoryHooks | undefined;
  readonly programs: Programs;
  readonly optionNames: readonly string[];
}

function contextOf({ folder, hooks, programs, optionNames }: ContextParts): StoryContext {
  const paths = new Set([hooks?.dir, programs.dir].filter((path) => path !== undefined));
  const known = present({ hookNames: hooks?.names, standIns: programs.names });
  return { folder, optionNames, kindUses: [], definitions: [], paths, ...known };
}

/** What concerns several parts of a story. */
function checkWhole(read: Story, place: Place): void {
  const { given = {}, steps = [] } = read;
  const applied = steps.flatMap(({ actions }) => actions.filter(({ type }) => type === 'apply'));
  const length = applied.length + givenObjects(given).length;
  if (length > MAX_OBJECTS) report(place, `got ${length} objects, expected at most ${MAX_OBJECTS}`);
  checkTimes(read, place);
}

function givenObjects({ crds = [], files = [], objects = [] }: StoryGiven): readonly JsonObject[] {
  return [...crds, ...files, ...objects];
}

interface ScenarioParts {
  readonly file: string;
  readonly name: string;
  readonly paths: readonly string[];
  readonly document: StoryDocument;
  readonly hooks: StoryHooks;
  readonly programs: Programs;
  readonly kinds: KnownKinds;
}

function scenarioOf(read: Story, parts: ScenarioParts): Scenario {
  const { given = {}, steps = [], never = [], perturb = { kinds: [] } } = read;
  const { file, name, paths, document, hooks, programs, kinds } = parts;
  return {
    file,
    line: document.line,
    document: document.index,
    name,
    paths,
    given: {
      hooksDir: hooks.dir,
      objects: givenObjects(given),
      startMs: given.clock ?? DEFAULT_START_MS,
      env: given.env ?? {},
      ...present({
        hooks: hooks.chosen,
        standInsDir: programs.dir,
        options: given.options,
        limits: given.limits,
        volumes: given.volumes,
      }),
    },
    steps: steps.map(({ index, actions, ...rest }) => ({
      ...rest,
      line: document.findLine(['steps', index]),
      actions: actions.map((action) => withNamespace(action, kinds)),
    })),
    never,
    perturb,
    ...present({ expect: given.expect }),
  };
}

function nameOf(file: string): string {
  return basename(file).replace(/(?:\.scenario)?\.(?:ya?ml|json)$/, '');
}
