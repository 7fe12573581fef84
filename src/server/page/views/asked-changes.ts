import type { ObjectStates } from '../model.ts';
import { isObject } from '../../../lib/json-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a run asked to be done with one object. */
export interface AskedChange {
  readonly operation: string;
  /** `Deployment default/web`. */
  readonly target: string;
  /** The object as the hook saw it, and as it would be with what was asked; absent where that is not known. */
  readonly states?: ObjectStates;
  /** What was asked in other words. */
  readonly lines: readonly string[];
  readonly note?: string;
}

export interface AskedChanges {
  readonly changes: readonly AskedChange[];
  readonly count: number;
}

const MAX_DEPTH = 50;
const MAX_LINE = 500;
const MAX_STEPS = 50;
const UNSEEN = 'it was not among what the hook saw';

/** The first changes that a recording has, with its objects as the hook saw them; and the number of all. */
export function askedChanges({ contexts, outputs }: Fields, limit: number): AskedChanges {
  const seen = new Map<string, Fields>();
  collect(contexts, seen, 0);
  const patches = documentsOf(outputs, 'patch');
  const children = documentsOf(outputs, 'result').flatMap(({ children: made }) =>
    Array.isArray(made) ? made.filter(isObject) : [],
  );
  const first = children.slice(0, Math.max(0, limit - patches.length));
  return {
    changes: [
      ...patches.slice(0, limit).map((one) => changeOf(one, seen)),
      ...first.map((one) => writeOf('child', childOf(one), seen)),
    ],
    count: patches.length + children.length,
  };
}

function documentsOf(outputs: unknown, name: string): readonly Fields[] {
  const file = isObject(outputs) ? outputs[name] : undefined;
  const documents = isObject(file) ? file['documents'] : undefined;
  return Array.isArray(documents) ? documents.filter(isObject) : [];
}

/** A child may have its object in a field of its own. */
function childOf(child: Fields): Fields {
  return isObject(child['object']) ? child['object'] : child;
}

/** Finds the objects in binding contexts, whatever shape these have; the first of each counts. */
function collect(value: unknown, seen: Map<string, Fields>, depth: number): void {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
  const key = isObject(value) ? keyOf(value) : undefined;
  if (key !== undefined && isObject(value)) {
    if (!seen.has(key)) seen.set(key, value);
    return;
  }
  for (const one of Object.values(value)) collect(one, seen, depth + 1);
}

function keyOf({ kind, metadata }: Fields): string | undefined {
  const { name, namespace = '' } = isObject(metadata) ? metadata : {};
  if (typeof kind !== 'string' || typeof name !== 'string') return undefined;
  return keyText(kind, String(namespace), name);
}

function keyText(kind: string, namespace: string, name: string): string {
  return `${kind.toLowerCase()}/${namespace}/${name}`;
}

function changeOf(document: Fields, seen: ReadonlyMap<string, Fields>): AskedChange {
  const operation = textOf(document['operation']);
  const { object, mergePatch, jsonPatch, jqFilter } = document;
  if (isObject(object)) return writeOf(operation, object, seen);
  const { target, key, isSecret } = placeOf(document);
  const before = seen.get(key);
  if (isObject(mergePatch)) {
    const states = { before: before ?? {}, after: merged(before ?? {}, mergePatch, 0), isSecret };
    return { operation, target, states, lines: [], ...(before === undefined && { note: UNSEEN }) };
  }
  const steps = Array.isArray(jsonPatch) ? jsonPatch.slice(0, MAX_STEPS) : [];
  const lines = typeof jqFilter === 'string' ? [jqFilter.slice(0, MAX_LINE)] : [];
  return { operation, target, lines: [...steps.map((step) => stepText(step, before)), ...lines] };
}

/** The object that an operation names by its fields. */
function placeOf(document: Fields) {
  const [kind = '', namespace = '', name = '', subresource = ''] = ['kind', 'namespace', 'name', 'subresource'].map(
    (field) => textOf(document[field]),
  );
  const place = [namespace, name].filter((part) => part !== '').join('/');
  return {
    target: `${kind} ${place}${subresource === '' ? '' : ` ${subresource}`}`,
    key: keyText(kind, namespace, name),
    isSecret: kind.toLowerCase() === 'secret',
  };
}

/** An object that was to be written as a whole. */
function writeOf(operation: string, object: Fields, seen: ReadonlyMap<string, Fields>): AskedChange {
  const { kind, metadata } = object;
  const { name, namespace, generateName } = isObject(metadata) ? metadata : {};
  const before = seen.get(keyOf(object) ?? '');
  const place = [textOf(namespace), textOf(name) === '' ? `${textOf(generateName)}…` : textOf(name)];
  const target = `${textOf(kind)} ${place.filter((part) => part !== '').join('/')}`;
  const after = before === undefined ? object : merged(before, object, 0);
  const states = { before, after, isSecret: textOf(kind) === 'Secret' };
  return { operation, target, states, lines: [], ...(before === undefined && { note: UNSEEN }) };
}

/** A merge patch applied: what it does not name stays, and null removes. */
function merged(before: Fields, patch: Fields, depth: number): Fields {
  const result = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(patch)) {
    const old = result.get(key);
    if (value === null) result.delete(key);
    else if (isObject(value) && depth < MAX_DEPTH) result.set(key, merged(isObject(old) ? old : {}, value, depth + 1));
    else result.set(key, value);
  }
  return Object.fromEntries(result);
}

/** `replace /spec/replicas: 1 → 3`. */
function stepText(step: unknown, object: unknown): string {
  const { op, path, from, value } = isObject(step) ? step : {};
  const before = object === undefined || op === 'add' ? undefined : jsonOf(pointed(object, textOf(path)));
  const after = value === undefined ? undefined : jsonOf(value);
  const states = [before, after].filter((text) => text !== undefined).join(' → ');
  const source = typeof from === 'string' ? ` from ${from}` : '';
  return `${textOf(op)} ${textOf(path)}${source}${states === '' ? '' : `: ${states}`}`;
}

/** The value at a JSON pointer. */
function pointed(object: unknown, pointer: string): unknown {
  let value = object;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isThere ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
  }
  return value;
}

function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value)?.slice(0, MAX_LINE);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
