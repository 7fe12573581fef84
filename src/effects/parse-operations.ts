import { HookOutputError } from '../errors.ts';
import { isExactNumber } from '../lib/exact-json.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import type { TextRules } from './documents.ts';
import { FieldReader, received, type FieldProblem } from './field-reader.ts';
import type { PatchOperation } from './operation.ts';
import { outputProblems, place, shownWarnings } from './output-problems.ts';
import { OPERATIONS, type CheckJq } from './read-operation.ts';
import { readWithin, SlowTextBudget } from './slow-text.ts';

/**
 * Parses the file `KUBERNETES_PATCH_PATH` that a hook wrote, after every run that wrote one, before anything of it is
 * applied. The file is a stream of JSON or YAML documents with one operation each; `read-operation.ts` reads one
 * document.
 *
 * What must hold: either all operations of the file are valid, or none is applied and one `HookOutputError` lists every
 * problem with its document and line. Parsing must not block the event loop for long: JSON is parsed at full speed, but
 * YAML and jq count against the budget. If that is exceeded, `SlowTextError` makes the caller parse again in a thread.
 */

/** Fields that are text: in shell-operator an unquoted `name: 123` is the name "123". */
const TEXT_FIELDS = ['operation', 'apiVersion', 'kind', 'namespace', 'name', 'subresource', 'jqFilter'];

const RULES: TextRules = { dialect: 'typed', texts: new Set(TEXT_FIELDS), isExact: true };

const COMMON_FIELDS = [
  'operation',
  'apiVersion',
  'kind',
  'namespace',
  'name',
  'subresource',
  'ignoreMissingObject',
  'ignoreHookError',
];

export interface ParsedOperations {
  readonly operations: readonly PatchOperation[];
  /** Likely mistakes that do not prevent the operations from being applied, such as unknown fields; one line each. */
  readonly warnings: readonly string[];
}

/**
 * Parses the operations of a file. Throws `HookOutputError` with every problem of the file, or `SlowTextError` when the
 * budget (default unlimited) is exceeded.
 */
export function parseOperations(
  text: string,
  checkJq: CheckJq,
  budget: SlowTextBudget = new SlowTextBudget(Infinity),
): ParsedOperations {
  const { documents, problems } = readWithin(budget, text, RULES);
  const found = outputProblems(problems);
  const check: CheckJq = (expression) => {
    budget.spend(expression.length);
    return checkJq(expression);
  };
  const operations: PatchOperation[] = [];
  const warnings: string[] = [];
  for (const document of documents) {
    const parsed = parseOperation(document.value, check, budget);
    found.add(document, parsed.problems);
    warnings.push(...parsed.warnings.map((warning) => `${place(document)}: ${warning}`));
    if (parsed.operation !== undefined) operations.push(parsed.operation);
  }
  if (found.count > 0)
    throw new HookOutputError(found.describe('KUBERNETES_PATCH_PATH'), { brief: found.brief('KUBERNETES_PATCH_PATH') });
  return { operations, warnings: shownWarnings(warnings) };
}

interface ParsedOperation {
  readonly operation?: PatchOperation | undefined;
  readonly problems: readonly FieldProblem[];
  readonly warnings: readonly string[];
}

function parseOperation(value: unknown, checkJq: CheckJq, budget: SlowTextBudget): ParsedOperation {
  if (!isObject(value)) {
    const message = `received ${received(value)}, expected an object with a patch operation`;
    return { problems: [{ field: '', message }], warnings: [] };
  }
  const reader = new FieldReader(withTexts(value), budget);
  const name = readName(reader);
  if (name === undefined) return { problems: reader.problems, warnings: [] };
  const operation = OPERATIONS[name].read(reader, checkJq);
  return { operation, problems: reader.problems, warnings: warningsOf(reader, name) };
}

/** The document with the numbers and booleans of its text fields as text. */
function withTexts(document: JsonObject): JsonObject {
  const isPlain = (value: unknown): boolean => ['number', 'boolean'].includes(typeof value) || isExactNumber(value);
  const isText = (key: string): boolean => TEXT_FIELDS.some((field) => field.toLowerCase() === key.toLowerCase());
  const texts = Object.entries(document).filter(([key, value]) => isPlain(value) && isText(key));
  return texts.length === 0
    ? document
    : { ...document, ...Object.fromEntries(texts.map(([key, value]) => [key, JSON.stringify(value)])) };
}

function readName(reader: FieldReader): PatchOperation['operation'] | undefined {
  const names = Object.keys(OPERATIONS);
  const text = reader.requiredText('operation', `one of ${names.join(', ')}`);
  if (text === '') return undefined;
  if (isOperationName(text)) return text;
  const near = names.find((name) => name.toLowerCase() === text.toLowerCase());
  const expected = near === undefined ? `one of ${names.join(', ')}` : `"${near}"`;
  reader.fail('operation', `received ${received(text)}, expected ${expected}`);
  return undefined;
}

function isOperationName(text: string): text is PatchOperation['operation'] {
  return Object.hasOwn(OPERATIONS, text);
}

function warningsOf(reader: FieldReader, name: PatchOperation['operation']): readonly string[] {
  const unknown = reader.unknownKeys([...COMMON_FIELDS, ...OPERATIONS[name].fields]);
  return [...reader.warnings, ...unknown.map((key) => `${key} has no effect in ${name} and is ignored`)];
}
