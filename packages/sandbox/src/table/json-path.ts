import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** Finds values in an object. */
export type JsonPath = (object: JsonObject) => readonly JsonValue[];

/**
 * Compiles the JSONPath of a printer column: fields (with `\.` for a dot in a name), `['name']`, `[0]`, `[-1]`, `[*]`,
 * `..name` and `[?(@.name=="text")]`; undefined for a path with anything else.
 */
export function jsonPath(path: string): JsonPath | undefined {
  const steps: Step[] = [];
  let rest = path.trim();
  while (rest !== '') {
    const read = readStep(rest);
    if (read === undefined) return undefined;
    steps.push(read.step);
    rest = rest.slice(read.length);
  }
  return (object) => steps.reduce<readonly JsonValue[]>((values, step) => values.flatMap(step), [object]);
}

type Step = (value: JsonValue) => readonly JsonValue[];

interface ReadStep {
  readonly step: Step;
  readonly length: number;
}

function readStep(text: string): ReadStep | undefined {
  for (const [pattern, make] of STEPS) {
    const match = pattern.exec(text);
    if (match !== null) return { step: make(match[1] ?? '', match[2] ?? '', match[3] ?? ''), length: match[0].length };
  }
  return undefined;
}

type MakeStep = (first: string, second: string, third: string) => Step;

const NAME = String.raw`((?:[^.[\\]|\\.)+)`;

const STEPS: readonly (readonly [RegExp, MakeStep])[] = [
  [new RegExp(String.raw`^\.\.${NAME}`), (name) => (value) => everywhere(value, unescaped(name))],
  [/^\.?\[\*\]/, () => members],
  [/^\.\*/, () => members],
  [new RegExp(String.raw`^\.${NAME}`), (name) => (value) => member(value, unescaped(name))],
  [/^\.?\[['"]([^'"]*)['"]\]/, (name) => (value) => member(value, name)],
  [/^\.?\[(-?\d+)\]/, (index) => (value) => item(value, Number(index))],
  [
    /^\.?\[\?\(@\.([^=!<>\s)]+)\s*(==|!=)\s*['"]?([^'")]*)['"]?\)\]/,
    (field, operator, wanted) => (value) => chosen(value, field, (found) => (found === wanted) === (operator === '==')),
  ],
  [/^\.?\[\?\(@\.([^=!<>\s)]+)\)\]/, (field) => (value) => chosen(value, field, () => true)],
];

function unescaped(name: string): string {
  return name.replaceAll(/\\(.)/g, '$1');
}

function member(value: JsonValue, name: string): readonly JsonValue[] {
  if (!isJsonObject(value) || !Object.hasOwn(value, name)) return [];
  const found = value[name];
  return found === undefined ? [] : [found];
}

function members(value: JsonValue): readonly JsonValue[] {
  if (isJsonArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function everywhere(value: JsonValue, name: string): readonly JsonValue[] {
  return [...member(value, name), ...members(value).flatMap((inner) => everywhere(inner, name))];
}

function item(value: JsonValue, index: number): readonly JsonValue[] {
  const found = isJsonArray(value) ? value.at(index) : undefined;
  return found === undefined ? [] : [found];
}

/** The items of a list that have the field, with a value that matches. */
function chosen(value: JsonValue, field: string, matches: (found: string) => boolean): readonly JsonValue[] {
  const find = jsonPath(`.${field}`);
  return members(value).filter((entry) => {
    const [found] = find === undefined || !isJsonObject(entry) ? [] : find(entry);
    return found !== undefined && matches(typeof found === 'string' ? found : JSON.stringify(found));
  });
}
