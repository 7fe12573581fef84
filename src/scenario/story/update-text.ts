/*
 * Writes what was found in the place of what was expected. Only values that are in the file are replaced, in the text
 * itself, so that comments, order and form of all else stay as they are.
 */

import type { JsonValue } from '@hooklet/sandbox';
import { type Document, isAlias, isCollection, isMap, isScalar, isSeq, type Node, parseAllDocuments } from 'yaml';
import { readYaml } from '../../lib/yaml.ts';

/** A value of a file: its document, its path there, and what replaces it. */
export interface TextChange {
  readonly document: number;
  readonly path: readonly (string | number)[];
  readonly value: JsonValue;
}

export interface UpdatedText {
  readonly text: string;
  /** The changes that were made; others have no place of their own in the text, such as in an alias. */
  readonly made: readonly TextChange[];
}

/** The text with the changes. A text that it would break is returned as it is. */
export function updateText(text: string, changes: readonly TextChange[]): UpdatedText {
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const all = Array.isArray(documents) ? documents : [];
  const splices = changes.flatMap((change) => {
    const found = findPlace(all[change.document], change.path);
    return found === undefined ? [] : [{ ...found, change, value: flowText(change.value) }];
  });
  const ordered = splices.toSorted((a, b) => b.start - a.start);
  let updated = text;
  for (const { start, end, lead, value } of ordered) {
    updated = `${updated.slice(0, start)}${lead}${value}${updated.slice(end)}`;
  }
  const isSound = readYaml(updated).every(({ type }) => type === 'value');
  return isSound ? { text: updated, made: splices.map(({ change }) => change) } : { text, made: [] };
}

interface Found {
  readonly start: number;
  readonly end: number;
  /** What stands between the key and a value in one line. */
  readonly lead: string;
}

function findPlace(document: Document.Parsed | undefined, path: readonly (string | number)[]): Found | undefined {
  let node: unknown = document?.contents;
  let keyEnd: number | undefined;
  for (const key of path) {
    const child = childOf(node, key);
    if (child === undefined) return undefined;
    ({ node, keyEnd } = child);
  }
  if (!isNode(node) || !node.range) return undefined;
  const [start, end] = node.range;
  // A block begins on a line of its own; what replaces it follows the key.
  const isBlock = isCollection(node) && node.flow !== true && keyEnd !== undefined;
  return isBlock
    ? { start: keyEnd ?? start, end: trimmedEnd(document, node, end), lead: ': ' }
    : { start, end, lead: '' };
}

interface Child {
  readonly node: unknown;
  readonly keyEnd: number | undefined;
}

function childOf(node: unknown, key: string | number): Child | undefined {
  if (isAlias(node)) return undefined;
  if (isSeq(node))
    return typeof key === 'number' && key in node.items ? { node: node.items[key], keyEnd: undefined } : undefined;
  if (!isMap(node)) return undefined;
  const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === String(key));
  if (pair === undefined || !isScalar(pair.key)) return undefined;
  return { node: pair.value, keyEnd: pair.key.range?.[1] };
}

/** The end of the last value in a block: its own range has the comments and empty lines after it. */
function trimmedEnd(document: Document.Parsed | undefined, node: Node, end: number): number {
  let last: unknown = node;
  while (isMap(last) || isSeq(last)) {
    if (last.flow === true) break;
    const item: unknown = last.items.at(-1);
    const next: unknown = isSeq(last) ? item : valueOf(item);
    if (next === undefined || next === null) break;
    last = next;
  }
  return document !== undefined && isNode(last) && last.range ? last.range[1] : end;
}

function valueOf(pair: unknown): unknown {
  return typeof pair === 'object' && pair !== null && 'value' in pair ? pair.value : undefined;
}

function isNode(node: unknown): node is Node {
  return isScalar(node) || isMap(node) || isSeq(node);
}

/** A value in one line of YAML. */
function flowText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, one]) => `${wordText(key)}: ${flowText(one)}`);
    return `{${entries.join(', ')}}`;
  }
  return typeof value === 'string' ? wordText(value) : JSON.stringify(value);
}

const PLAIN = /^[A-Za-z][\w./-]*$/;

function wordText(text: string): string {
  const [document] = PLAIN.test(text) ? readYaml(text) : [];
  return document?.type === 'value' && document.value === text ? text : JSON.stringify(text);
}
