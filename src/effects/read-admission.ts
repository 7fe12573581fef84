import { HookOutputError } from '../errors.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import { nearest } from '../hook/nearest.ts';
import { shownName, shownText } from '../lib/shown.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import { FieldReader, received, type FieldProblem } from './field-reader.ts';
import { jsonPatchOf } from './json-patch-of.ts';
import { readJsonPatch } from './payload.ts';

/** What a hook answered to an admission request. */
export interface AdmissionResponse {
  readonly allowed: boolean;
  /** Why it is denied; empty when the hook gave no reason. */
  readonly message: string;
  /** For the user who sent the request. */
  readonly warnings: readonly string[];
  /** The steps of a JSON Patch; empty when the object stays as it is. */
  readonly patch: readonly object[];
  /** Likely mistakes, for the log. */
  readonly mistakes: readonly string[];
}

/** What the response is about. */
export interface AdmissionScope {
  /** Whether the object may be changed. */
  readonly isMutating: boolean;
  /** Parses the object of the request; null where there is none, as in a DELETE. Called where it is compared alone. */
  readonly object: () => unknown;
}

const FILE = 'ADMISSION_RESPONSE_PATH';
const FIELDS = ['allowed', 'message', 'warnings', 'patch', 'object'];
const RECEIVED = /^(?:received|holds) /;
const EXPECTED = ', expected ';
const MAX_BRIEF = 5;
const MAX_MESSAGE = 8192;
/** The API server cuts a warning after 256 characters, and all of them after 4,096. */
const MAX_WARNINGS = 64;
const MAX_WARNING = 1024;

/**
 * Reads the response of a hook to an admission request: one JSON object with `allowed`, `message`, `warnings`, and for a
 * mutating webhook `patch`, a JSON Patch as an array or in base64, or `object`, the whole object as it should be. Throws
 * `HookOutputError` with every problem.
 */
export function readAdmission(text: string, scope: AdmissionScope): AdmissionResponse {
  const document = parse(text);
  const reader = new FieldReader(document);
  const response = {
    allowed: readAllowed(reader, document),
    message: shownText(reader.text('message') ?? '', MAX_MESSAGE),
    warnings: readWarnings(reader),
    ...readChange(reader, scope),
  };
  if (scope.isMutating && isLost(document)) {
    reader.fail(
      'object',
      'received null, expected the whole object as it should be; without object and patch nothing is changed',
    );
  }
  if (reader.problems.length > 0) {
    const problems = reader.problems.map(({ field, message }) => `  ${field}: ${message}`);
    const brief = `${FILE} is invalid: ${reader.problems.slice(0, MAX_BRIEF).map(expectationOf).join('; ')}`;
    throw new HookOutputError([`${FILE} is invalid:`, ...problems].join('\n'), { brief });
  }
  const unknown = reader.unknownKeys(FIELDS);
  const ignored = unknown.length === 0 ? [] : [`${FILE} has unknown fields, which are ignored: ${unknown.join(', ')}`];
  return { ...response, mistakes: [...response.mistakes, ...ignored] };
}

function parse(text: string): JsonObject {
  if (text.trim() === '') {
    throw new HookOutputError(`${FILE} is empty; the hook must write {"allowed": true} or {"allowed": false, …} to it`);
  }
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    // The message of the parser would show callers what the hook wrote; it is in the log.
    throw new HookOutputError(`${FILE} is not one JSON object`, { cause: error });
  }
  if (isObject(value)) return value;
  const expected = 'expected one JSON object with allowed';
  throw new HookOutputError(`${FILE} holds ${received(value)}, ${expected}`, { brief: `${FILE}: ${expected}` });
}

/** Without the value that was received, which may be of an object: callers see no more than what was expected. */
function expectationOf({ field, message }: FieldProblem): string {
  if (!RECEIVED.test(message)) return `${field}: ${message}`;
  const at = message.lastIndexOf(EXPECTED);
  return `${field}: ${at === -1 ? 'is not what is expected' : message.slice(at + 2)}`;
}

/**
 * Whether the hook meant to give an object, and had none. Beside a patch a null says nothing: some languages write all
 * fields that they know.
 */
function isLost(document: JsonObject): boolean {
  return document['object'] === null && document['patch'] === undefined;
}

/** Without `allowed` the request is denied, as in shell-operator; with nothing but a reason it is what was meant. */
function readAllowed(reader: FieldReader, document: JsonObject): boolean {
  const allowed = reader.value('allowed');
  const isGiven = allowed !== undefined;
  if (!isGiven && reader.text('message') === undefined)
    reader.missing('allowed', `true or false${misspelled(document)}`);
  if (isGiven && typeof allowed !== 'boolean')
    reader.fail('allowed', `received ${received(allowed)}, expected true or false`);
  const written = Object.keys(document).filter((key) => key.toLowerCase() === 'allowed');
  if (written.length > 1)
    reader.fail('allowed', `is given ${written.length} times, as ${written.join(' and ')}, expected once`);
  return allowed === true;
}

function misspelled(document: JsonObject): string {
  const meant = Object.keys(document).find((key) => /^allow/i.test(key) || nearest(key, FIELDS) === 'allowed');
  return meant === undefined ? '' : `; unknown field ${shownName(meant)}, did you mean allowed?`;
}

function readWarnings(reader: FieldReader): readonly string[] {
  const value = reader.value('warnings');
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.some((warning) => typeof warning !== 'string')) {
    reader.fail('warnings', `received ${received(value)}, expected a list of strings`);
    return [];
  }
  const texts = value.filter((warning): warning is string => typeof warning === 'string' && warning !== '');
  return texts.slice(0, MAX_WARNINGS).map((warning) => shownText(warning, MAX_WARNING));
}

type Change = Pick<AdmissionResponse, 'patch' | 'mistakes'>;

function readChange(reader: FieldReader, { isMutating, object }: AdmissionScope): Change {
  const [patch, whole] = [reader.value('patch'), reader.value('object')];
  if (patch !== undefined && whole !== undefined) {
    reader.fail('object', 'is given beside patch, expected one of the two');
    return NO_CHANGE;
  }
  if (!isMutating) {
    const isIgnored = (patch !== undefined && patch !== '') || whole !== undefined;
    const mistake = `${FILE}: a validating webhook cannot change the object, patch and object are ignored; use kubernetesMutating`;
    return { patch: [], mistakes: isIgnored ? [mistake] : [] };
  }
  if (whole !== undefined) return { patch: readWhole(reader, { whole, object: object() }), mistakes: [] };
  return { patch: readPatch(reader, patch), mistakes: [] };
}

const NO_CHANGE: Change = { patch: [], mistakes: [] };

function readWhole(
  reader: FieldReader,
  { whole, object }: { readonly whole: unknown; readonly object: unknown },
): readonly object[] {
  if (!isObject(object)) {
    reader.fail('object', 'the request has no object that could be changed, such as that of a DELETE');
    return [];
  }
  if (!isObject(whole)) {
    reader.fail('object', `received ${received(whole)}, expected the whole object as it should be`);
    return [];
  }
  for (const field of ['apiVersion', 'kind']) {
    if (whole[field] === object[field]) continue;
    if (whole[field] === undefined)
      reader.fail(`object.${field}`, 'is missing; give the whole object, not only changes');
    else reader.fail(`object.${field}`, `received ${received(whole[field])}, expected that of the request`);
  }
  return jsonPatchOf(object, whole);
}

function readPatch(reader: FieldReader, value: unknown): readonly object[] {
  const steps = typeof value === 'string' ? decoded(reader, value) : value;
  if (steps === undefined || (Array.isArray(steps) && steps.length === 0)) return [];
  const inner = new FieldReader({ patch: steps });
  const patch = readJsonPatch(inner, 'patch') ?? [];
  reader.problems.push(...inner.problems);
  return patch;
}

/** A JSON Patch as text, or as text in base64. */
function decoded(reader: FieldReader, value: string): unknown {
  const text = value.trim();
  if (text === '') return undefined;
  const isPlain = text.startsWith('[');
  if (!isPlain && !/^[A-Za-z0-9+/\s]*={0,2}$/.test(text)) {
    reader.fail('patch', `received ${received(value)}, expected a JSON Patch as an array, or in base64`);
    return undefined;
  }
  try {
    const steps = parseExactJson(isPlain ? text : Buffer.from(text, 'base64').toString('utf8'));
    if (Array.isArray(steps)) return steps;
    reader.fail('patch', `holds ${received(steps)}${isPlain ? '' : ' in base64'}, expected a JSON Patch, an array`);
  } catch {
    reader.fail('patch', `holds no JSON${isPlain ? '' : ' in base64'}, expected a JSON Patch`);
  }
  return undefined;
}
