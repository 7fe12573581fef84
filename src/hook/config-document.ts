import type { Issue } from '../errors.ts';
import { notJson, readJsonDocument } from '../lib/json-document.ts';
import { MAX_YAML_DEPTH } from '../lib/yaml-depth.ts';
import { readYaml } from '../lib/yaml.ts';

/** The config that a hook printed: its value, or why it cannot be read. */
export type ConfigDocument =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'unreadable'; readonly issues: readonly Issue[] };

const NO_OUTPUT = 'got nothing on stdout, expected a config that begins with "configVersion: v1"';
const NOT_TEXT = 'got bytes of value 0, expected text in UTF-8; is it written in UTF-16?';
// One typo can make every following line an error.
const MAX_ERRORS = 3;

/** A longer config is refused; configs of real hooks have a few kilobytes. */
export const MAX_CONFIG_CHARACTERS = 256 * 1024;

/** Reads one document, JSON or YAML. Several documents are an error: all but one would be ignored silently. */
export function readConfigDocument(text: string): ConfigDocument {
  if (text.length > MAX_CONFIG_CHARACTERS) {
    return unreadable([`got ${text.length} characters, expected at most ${MAX_CONFIG_CHARACTERS}`]);
  }
  if (text.includes('\0')) return unreadable([NOT_TEXT]);
  const json = readJsonDocument(text, MAX_YAML_DEPTH);
  return json === notJson ? readYamlDocument(text) : { type: 'value', value: json };
}

function readYamlDocument(text: string): ConfigDocument {
  const documents = readYaml(text, { dialect: 'untyped' });
  const problems = documents.flatMap((document) => (document.type === 'broken' ? document.problems : []));
  if (problems.length > 0) {
    const issues = problems.slice(0, MAX_ERRORS).map(({ line, column, message }) => ({
      path: '',
      message: `not YAML or JSON: ${message} at line ${line}, column ${column}`,
      line,
    }));
    return { type: 'unreadable', issues };
  }
  const values = documents.flatMap((document) => (document.type === 'value' ? [document.value] : []));
  const [value, ...more] = values.filter((one) => one !== null);
  if (more.length > 0) return unreadable([`got ${more.length + 1} YAML documents, expected one`]);
  return value === undefined ? unreadable([NO_OUTPUT]) : { type: 'value', value };
}

function unreadable(messages: readonly string[]): ConfigDocument {
  return { type: 'unreadable', issues: messages.map((message) => ({ path: '', message })) };
}
