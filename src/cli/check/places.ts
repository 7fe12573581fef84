import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Issue } from '../../errors.ts';
import { MAX_CONFIG_CHARACTERS } from '../../hook/config-document.ts';
import { partsOf } from '../../hook/issue-path.ts';
import { readYaml } from '../../lib/yaml.ts';
import { yamlLines } from '../../lib/yaml-lines.ts';
import { isObject } from '../../lib/json-object.ts';
import { scriptLine } from './script-line.ts';

/** The config that a hook printed, and where in the hook's file its parts come from. */
export interface PrintedConfig {
  /** The parsed config, valid or not; `undefined` when it cannot be parsed. */
  readonly value: unknown;
  /** The line of the hook's file that most likely contains the mistake; 1 when it cannot be found. */
  lineOf(issue: Pick<Issue, 'path' | 'line'>): number;
}

/**
 * For a hook whose `--config` failed: every problem is at the line that its interpreter named on standard error, else
 * at 1.
 */
export function failedConfig(path: string, stderr: string): PrintedConfig {
  const line = namedLine(path, stderr) ?? 1;
  return { value: undefined, lineOf: () => line };
}

/**
 * Knows the formats of Node (`a.ts:3:1`), bash (`a.sh: line 3:`), other shells (`a.sh: 3:`) and Python (`"a.py", line
 * 3`).
 */
function namedLine(path: string, stderr: string): number | undefined {
  const at = stderr.indexOf(path);
  const after = at < 0 ? '' : stderr.slice(at + path.length, at + path.length + MAX_AFTER);
  const [, line] = /^(?:"?,? line |: line |: ?)(\d{1,7})\b/.exec(after) ?? [];
  return line === undefined || line === '0' ? undefined : Number(line);
}

const MAX_AFTER = 20;

/** For `text`, which the hook in the file `path` printed. */
export function readPrinted(path: string, text: string): PrintedConfig {
  const value = readValue(text);
  const findLine = value === undefined ? undefined : yamlLines(text);
  const script = text.trim() === '' || text.length > MAX_CONFIG_CHARACTERS ? '' : readScript(path);
  return {
    value,
    lineOf({ path: issuePath, line: given }) {
      const parts = partsOf(issuePath);
      const line = given ?? findLine?.(parts);
      if (line === undefined || script === '') return 1;
      const field = given === undefined ? fieldAt(value, parts) : undefined;
      return scriptLine(script, text, { line, ...(field !== undefined && { field }) }) ?? 1;
    },
  };
}

function readValue(text: string): unknown {
  if (text.length > MAX_CONFIG_CHARACTERS) return undefined;
  const [document] = readYaml(text);
  return document?.type === 'value' ? (document.value ?? undefined) : undefined;
}

/** The field at a path; `undefined` when its value is not a scalar. */
function fieldAt(
  value: unknown,
  parts: readonly (string | number)[],
): { readonly name: string; readonly value: string } | undefined {
  let found = value;
  for (const part of parts) {
    if (Array.isArray(found)) found = found[Number(part)];
    else if (isObject(found) && Object.hasOwn(found, part)) found = found[part];
    else return undefined;
  }
  const name = parts.findLast((part) => typeof part === 'string');
  const isScalar = typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean';
  return name === undefined || !isScalar ? undefined : { name, value: String(found) };
}

/** Larger files are not scripts that somebody wrote by hand. */
const MAX_SCRIPT_BYTES = 1024 * 1024;

function readScript(path: string): string {
  try {
    // The path may have become a pipe by now, and opening a pipe would block until there is a writer.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      const text = stats.isFile() && stats.size <= MAX_SCRIPT_BYTES ? readFileSync(fd, 'utf8') : '';
      return text.includes('\0') ? '' : text;
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}
