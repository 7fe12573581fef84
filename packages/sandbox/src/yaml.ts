import { Composer, isAlias, isMap, isScalar, isSeq, Parser, type CST, type Document } from 'yaml';

const MAX_DEPTH = 200;
const MAX_ALIASES = 100;

/**
 * Parses one YAML document in a time that grows linearly with its length; throws an error if it is invalid. The library
 * alone has no such bound: it compares every key with every other to find duplicates, and its recursion has no limit.
 */
export function parseYaml(text: string): unknown {
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const documents: Document.Parsed[] = [];
  for (const token of new Parser().parse(text)) {
    requireFlat(token);
    documents.push(...composer.next(token));
    if (token.type === 'error') break;
  }
  documents.push(...composer.end(documents.length === 0, text.length));
  const [document, ...more] = documents;
  if (more.length > 0) throw new Error('Source contains multiple documents');
  const problem = document?.errors[0];
  if (problem !== undefined) throw problem;
  requireSound(document?.contents);
  return document?.toJS({ maxAliasCount: MAX_ALIASES + 1 });
}

function requireFlat(token: CST.Token): void {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > MAX_DEPTH) throw new Error(`nested deeper than ${MAX_DEPTH} levels`);
    for (const inner of innerTokens(next.token)) open.push({ token: inner, depth: next.depth + 1 });
  }
}

function innerTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value].filter(isCollection);
  return isCollection(token) ? token.items.flatMap(({ key, value }) => [key, value]).filter(isCollection) : [];
}

function isCollection(
  token: CST.Token | null | undefined,
): token is CST.BlockMap | CST.BlockSequence | CST.FlowCollection {
  return token?.type === 'block-map' || token?.type === 'block-seq' || token?.type === 'flow-collection';
}

/** Throws if a key occurs twice, or if there are so many aliases that resolving them would take long. */
function requireSound(contents: unknown): void {
  const open: unknown[] = [contents];
  let aliases = 0;
  while (open.length > 0) {
    const node = open.pop();
    if (isAlias(node)) aliases += 1;
    if (isMap(node)) requireUnique(node.items.map(({ key }) => key));
    for (const inner of innerNodes(node)) open.push(inner);
  }
  if (aliases > MAX_ALIASES) throw new Error(`more than ${MAX_ALIASES} aliases`);
}

function innerNodes(node: unknown): readonly unknown[] {
  if (isMap(node)) return node.items.flatMap(({ key, value }) => [key, value]);
  return isSeq(node) ? node.items : [];
}

function requireUnique(keys: readonly unknown[]): void {
  const known = new Set<unknown>();
  for (const key of keys) {
    const name: unknown = isScalar(key) ? key.value : key;
    if (known.has(name)) throw new Error('Map keys must be unique');
    known.add(name);
  }
}
