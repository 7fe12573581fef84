import { readDocuments } from '../../effects/documents.ts';
import { isObject } from '../../lib/json-object.ts';

const TEXTS_WITH_DOCUMENTS = ['object', 'mergePatch', 'jsonPatch'];

/**
 * The documents of a file that a hook wrote; undefined where it is neither JSON nor YAML. A field of an operation that
 * holds a document as text has its value instead.
 */
export function outputDocuments(text: string): readonly unknown[] | undefined {
  try {
    const { documents, problems } = readDocuments(text, { isExact: true });
    if (problems.length > 0) return undefined;
    return documents.flatMap(({ value }) => (Array.isArray(value) ? value.map(opened) : [opened(value)]));
  } catch {
    return undefined;
  }
}

function opened(value: unknown): unknown {
  if (!isObject(value) || typeof value['operation'] !== 'string') return value;
  const entries = Object.entries(value).map(([key, one]) => {
    if (!TEXTS_WITH_DOCUMENTS.includes(key) || typeof one !== 'string') return [key, one];
    const { documents, problems } = readDocuments(one, { isExact: true });
    const [first] = documents;
    return [key, first === undefined || problems.length > 0 ? one : first.value];
  });
  return Object.fromEntries(entries);
}
