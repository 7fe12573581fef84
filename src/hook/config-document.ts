import { parseAllDocuments, type ScalarTag } from 'yaml';
import type { Issue } from '../errors.ts';

/** What a hook printed: a value, or why it is none. */
export type ConfigDocument =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'unreadable'; readonly issues: readonly Issue[] };

const NO_OUTPUT = 'got nothing on stdout, expected a config that begins with "configVersion: v1"';
// One slip can make every following line an error.
const MAX_ERRORS = 3;

// The peer's parser reads YAML 1.1, where these words are booleans.
const yesNo: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:yes|Yes|YES|on|On|ON|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text),
};

/** Reads one YAML document, of which JSON is a case. More than one is an error: the others would silently not count. */
export function readConfigDocument(text: string): ConfigDocument {
  const documents = parseAllDocuments(text, { merge: true, customTags: (tags) => [yesNo, ...tags] });
  const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : [];
  if (errors.length > 0) return unreadable(errors.slice(0, MAX_ERRORS).map(({ message }) => notYaml(message)));
  try {
    const values = documents.map((document): unknown => document.toJS()).filter((value) => value !== null);
    if (values.length > 1) return unreadable([`got ${values.length} YAML documents, expected one`]);
    const [value] = values;
    return value === undefined ? unreadable([NO_OUTPUT]) : { type: 'value', value };
  } catch (error) {
    // An alias without its anchor, or one that unfolds to something huge.
    return unreadable([notYaml(error instanceof Error ? error.message : String(error))]);
  }
}

function notYaml(message: string): string {
  return `not YAML or JSON: ${message.trim()}`;
}

function unreadable(messages: readonly string[]): ConfigDocument {
  return { type: 'unreadable', issues: messages.map((message) => ({ path: '', message })) };
}
