import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';

/**
 * A set of fields of an object. A field is a path: its elements as `fieldsV1` writes them (`f:name`, `k:{"key":…}`,
 * `v:value`), joined by NUL, which no element contains.
 */
export type FieldSet = ReadonlySet<string>;

const SEPARATOR = '\0';

/** The path of a member of the value at `path`; the empty path is the whole object. */
export function childPath(path: string, element: string): string {
  return path === '' ? element : `${path}${SEPARATOR}${element}`;
}

/** The path through fields of these names, outermost first. */
export function fieldPath(...names: readonly string[]): string {
  return names.map((name) => `f:${name}`).join(SEPARATOR);
}

/** Whether `path` is `root` or lies below it. */
export function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root + SEPARATOR);
}

/** The paths that are in any of the sets. */
export function union(...sets: readonly FieldSet[]): FieldSet {
  return new Set(sets.flatMap((set) => [...set]));
}

/** The paths that are in `set` and not in `other`. */
export function difference(set: FieldSet, other: FieldSet): FieldSet {
  return filterFields(set, (path) => !other.has(path));
}

/** The paths that are in both sets. */
export function intersection(set: FieldSet, other: FieldSet): FieldSet {
  return filterFields(set, (path) => other.has(path));
}

/** The paths of the set that pass the test. */
export function filterFields(set: FieldSet, passes: (path: string) => boolean): FieldSet {
  return new Set([...set].filter(passes));
}

/** The set, and those ancestors of its paths that `accepts` accepts. */
export function withAncestors(set: FieldSet, accepts: (path: string) => boolean): FieldSet {
  const all = new Set(set);
  for (const path of set) {
    const elements = path.split(SEPARATOR);
    for (let length = 1; length < elements.length; length++) {
      const ancestor = elements.slice(0, length).join(SEPARATOR);
      if (accepts(ancestor)) all.add(ancestor);
    }
  }
  return all;
}

/** The elements of a path, outermost first. */
export function elementsOf(path: string): readonly string[] {
  return path.split(SEPARATOR);
}

/**
 * The paths in the order of error messages: at each level first the members that are in the set themselves, then the
 * paths below members.
 */
export function sortedPaths(set: FieldSet): readonly string[] {
  const sortKey = (path: string): string => {
    const elements = elementsOf(path);
    return elements
      .map((element, index) => (index < elements.length - 1 ? `1${element}` : `0${element}`))
      .join(SEPARATOR);
  };
  return [...set].toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
}

/** Formats a path as error messages do: `.spec.containers[name="app"].image`. */
export function printPath(path: string): string {
  return elementsOf(path).map(printElement).join('');
}

/** Formats one element of a path as error messages do. */
export function printElement(element: string): string {
  const value = element.slice(2);
  if (element.startsWith('f:')) return `.${value}`;
  if (element.startsWith('v:')) return `[=${value}]`;
  if (element.startsWith('i:')) return `[${value}]`;
  const keys: unknown = JSON.parse(value);
  const pairs = isJsonObject(keys) ? Object.entries(keys) : [];
  return `[${pairs.map(([name, key]) => `${name}=${JSON.stringify(key)}`).join(',')}]`;
}

/** Converts a set to `fieldsV1`. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const root: Node = { isMember: false, children: new Map() };
  for (const path of set) {
    let node = root;
    for (const element of elementsOf(path)) node = descend(node, element);
    node.isMember = true;
  }
  return writeNode(root);
}

interface Node {
  isMember: boolean;
  readonly children: Map<string, Node>;
}

function descend(node: Node, element: string): Node {
  const existing = node.children.get(element);
  if (existing !== undefined) return existing;
  const child: Node = { isMember: false, children: new Map() };
  node.children.set(element, child);
  return child;
}

function writeNode(node: Node): JsonObject {
  const children = [...node.children].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const self: readonly [string, JsonValue][] = node.isMember && children.length > 0 ? [['.', {}]] : [];
  return Object.fromEntries([...self, ...children.map(([element, child]) => [element, writeNode(child)] as const)]);
}

/** Reads a set from `fieldsV1`. */
export function fromFieldsV1(fields: JsonObject): FieldSet {
  const paths: string[] = [];
  readNode(fields, '', paths);
  return new Set(paths);
}

function readNode(node: JsonObject, path: string, paths: string[]): void {
  for (const [element, child] of Object.entries(node)) {
    if (element === '.') {
      if (path !== '') paths.push(path);
      continue;
    }
    const below = childPath(path, element);
    if (!isJsonObject(child) || Object.keys(child).length === 0) paths.push(below);
    else readNode(child, below, paths);
  }
}
