import { HookOutputError, type Issue } from '../errors.ts';
import { readFields, readList, present, type Place, type Read } from '../hook/config-reader.ts';
import type { ContextResult, HookResult } from '../hook/result.ts';
import { checkResult, type ContextEntry, type ResultScope } from './check-result.ts';
import { outputProblems, place as placeOf } from './output-problems.ts';
import { contextShape, readIndex, readValue } from './result-fields.ts';
import { readWithin, SlowTextBudget } from './slow-text.ts';

/**
 * Reads the file `RESULT_PATH`, in which a hook says how its run ended. It holds one JSON or YAML object;
 * `result-fields.ts` reads its fields, and `check-result.ts` compares it with the contexts of the run.
 *
 * What must hold: a file with any problem counts for nothing, and one `HookOutputError` lists all of them. Keys are not
 * those of a patch: they match exactly, and an unknown one is a problem, because a misspelled `permanent` or `children`
 * would otherwise be carried out as something else.
 */

export type { ContextScope, ResultScope } from './check-result.ts';

export interface ParsedResult {
  /** Absent when the hook said nothing. */
  readonly result?: HookResult;
  /** Likely mistakes, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Parses the text of a result file. Throws `HookOutputError` with every problem, or `SlowTextError` when the budget
 * (default unlimited) is exceeded.
 */
export function parseResult(
  text: string,
  scope: ResultScope,
  budget: SlowTextBudget = new SlowTextBudget(Infinity),
): ParsedResult {
  const { documents, problems } = readWithin(budget, text);
  const found = outputProblems(problems);
  const [first, second] = documents;
  if (second !== undefined) found.add(second, [{ field: '', message: 'a second document, expected only one object' }]);
  if (first === undefined) {
    if (found.count > 0) throw new HookOutputError(found.describe(FILE));
    return { warnings: [] };
  }
  const issues: Issue[] = [];
  const { result, warnings } = readResult(first.value, scope, { path: '', issues });
  found.add(
    first,
    issues.map(({ path, message }) => ({ field: path, message })),
  );
  if (found.count > 0) throw new HookOutputError(found.describe(FILE));
  return { result, warnings: warnings.map((warning) => `${placeOf(first)}: ${warning}`) };
}

const FILE = 'RESULT_PATH';
/** With more, a file has more problems than anybody reads. */
const MAX_CONTEXTS = 200_000;

const readEntryFields = readFields(
  { index: readIndex, ...contextShape },
  { required: { index: 'the index of a binding context, counted from 0' } },
);

const readEntry: Read<ContextEntry> = (value, place) => {
  const { index, ...fields } = readEntryFields(value, place);
  return { ...(index !== undefined && { index }), path: place.path, result: toContextResult(fields) };
};

const readWhole = readFields({
  ...contextShape,
  contexts: readList(readEntry, 0, MAX_CONTEXTS),
  output: readValue,
});

function readResult(value: unknown, scope: ResultScope, place: Place): Required<ParsedResult> {
  const { contexts: entries = [], output, ...fields } = readWhole(value, place);
  const whole = toContextResult(fields);
  const warnings = checkResult({ whole, entries, scope }, place);
  const contexts = new Map<number, ContextResult>();
  for (const { index, result } of entries) if (index !== undefined) contexts.set(index, result);
  return { result: { ...whole, contexts, ...(output !== undefined && { output }) }, warnings };
}

type FieldValues = Omit<ReturnType<typeof readWhole>, 'contexts' | 'output'>;

function toContextResult({ retryAfter, conditions = [], events = [], ...fields }: FieldValues): ContextResult {
  return { ...present({ ...fields, retryAfterMs: retryAfter }), conditions, events };
}
