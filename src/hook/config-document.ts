import type { Issue } from '../errors.ts';
import { notJson, readJsonDocument } from '../lib/json-document.ts';
import { MAX_YAML_DEPTH } from '../lib/yaml-depth.ts';
import { readYaml, type YamlDocument } from '../lib/yaml.ts';

/** The config that a hook printed: its value, or why it cannot be read. */
export type ConfigDocument =
  | { readonly type: 'value'; readonly value: unknown; readonly warnings?: readonly string[] }
  | { readonly type: 'unreadable'; readonly issues: readonly Issue[] };

const NO_OUTPUT =
  'got nothing on stdout, expected a config that begins with "configVersion: v1" (should have at least 1 properties)';
const NOT_TEXT = 'got bytes of value 0, expected text in UTF-8; is it written in UTF-16?';
// One typo can make every following line an error.
const MAX_ERRORS = 3;

/** A longer config is refused; configs of real hooks have a few kilobytes. */
export const MAX_CONFIG_CHARACTERS = 256 * 1024;

/** Reads the first document, JSON or YAML; as in shell-operator, what follows it is ignored, with a warning. */
export function readConfigDocument(text: string): ConfigDocument {
  if (text.length > MAX_CONFIG_CHARACTERS) {
    return unreadable([`got ${text.length} characters, expected at most ${MAX_CONFIG_CHARACTERS}`]);
  }
  if (text.includes('\0')) return unreadable([NOT_TEXT]);
  const first = firstObject(text);
  const json = readJsonDocument(first, MAX_YAML_DEPTH);
  if (json === notJson) return readYamlDocument(text);
  const isAll = text.slice(first.length).trim() === '';
  return isAll ? { type: 'value', value: json } : { type: 'value', value: json, warnings: [MORE_TEXT] };
}

const MORE_TEXT = 'text after the config is ignored';

/** The text up to the bracket that closes its first one; all of it where it does not begin with one, or none closes it. */
function firstObject(text: string): string {
  if (!/^\s*\{/.test(text)) return text;
  const marks = /"(?:[^"\\]|\\.)*"|[{}]/gs;
  let depth = 0;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === '{') depth += 1;
    if (mark[0] === '}') depth -= 1;
    if (mark[0] === '}' && depth === 0) return text.slice(0, marks.lastIndex);
  }
  return text;
}

function readYamlDocument(text: string): ConfigDocument {
  const documents = readYaml(text, { dialect: 'untyped' });
  const isNothing = (document: YamlDocument): boolean => document.type === 'value' && document.value === null;
  const [first, ...more] = documents.filter((document) => !isNothing(document));
  if (first === undefined) return unreadable([NO_OUTPUT]);
  if (first.type === 'value') {
    return { type: 'value', value: first.value, ...(more.length > 0 && { warnings: [MORE_TEXT] }) };
  }
  const issues = first.problems.slice(0, MAX_ERRORS).map(({ line, column, message }) => ({
    path: '',
    message: `not YAML or JSON: ${message} at line ${line}, column ${column} (config unmarshal)`,
    line,
  }));
  return { type: 'unreadable', issues };
}

function unreadable(messages: readonly string[]): ConfigDocument {
  return { type: 'unreadable', issues: messages.map((message) => ({ path: '', message })) };
}
