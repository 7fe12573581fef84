import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  type Document,
  type Node,
} from 'yaml';

/** Returns the line of a path in a YAML text, or of the longest part of the path that exists; counted from 1. */
export type FindLine = (path: readonly (string | number)[]) => number;

/**
 * Creates the line lookup for a text that `readYaml` has accepted, because this function has no limits of its own. Of
 * several documents the first one counts.
 */
export function yamlLines(text: string): FindLine {
  const lines = new LineCounter();
  return finder(parseDocument(text, options(lines)), lines);
}

/** Like `yamlLines`, for each document of the text, in the order of `readYaml`. */
export function yamlDocumentLines(text: string): readonly FindLine[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, options(lines));
  return Array.isArray(documents) ? documents.map((document) => finder(document, lines)) : [];
}

/** Positions only: keys are not checked, and nothing is merged or warned about. */
function options(lineCounter: LineCounter) {
  return { lineCounter, uniqueKeys: false, prettyErrors: false, logLevel: 'silent', strict: false } as const;
}

function finder(document: Document.Parsed, lines: LineCounter): FindLine {
  return (path) => {
    const offset = offsetAt(document, path);
    return Math.max(1, lines.linePos(offset).line);
  };
}

function offsetAt(document: Document.Parsed, path: readonly (string | number)[]): number {
  let node = resolved(document.contents, document);
  let offset = startOf(node) ?? 0;
  for (const key of path) {
    const child = childOf(node, key);
    if (child === undefined) break;
    offset = startOf(child.key) ?? startOf(child.value) ?? offset;
    node = resolved(child.value, document);
  }
  return offset;
}

interface Child {
  /** The key of a mapping: the line of a field is that of its key. */
  readonly key?: unknown;
  readonly value: unknown;
}

function childOf(node: unknown, key: string | number): Child | undefined {
  if (isSeq(node)) {
    const value = typeof key === 'number' ? node.items[key] : undefined;
    return value === undefined ? undefined : { value };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === String(key));
  return pair === undefined ? undefined : { key: pair.key, value: pair.value };
}

function resolved(node: unknown, document: Document.Parsed): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function isNode(node: unknown): node is Node {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node);
}
