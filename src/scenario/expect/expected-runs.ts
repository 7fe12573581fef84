import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import type { ExpectedRun } from '../expectation.ts';
import type { Moment, RunEnded, RunStarted } from '../timeline.ts';
import type { Difference, ExpectPath } from './difference.ts';
import type { Evidence } from './evidence.ts';
import { countDifferences } from './counts.ts';
import { differences, projected } from './subset.ts';

/** Compares the runs that began in the step: those of each hook in the order of their starts. */
export function runDifferences(expected: number | readonly ExpectedRun[], evidence: Evidence): readonly Difference[] {
  const runs = runsOf(evidence);
  if (typeof expected === 'number') return countDifferences('runs', expected, runs.map(runText));
  const hooks = new Set([...expected, ...runs].map(({ hook }) => hook));
  return [...hooks].flatMap((hook) => hookDifferences(hook, expected, runs));
}

/** A run with what became of it; what is not there yet, or was never there, is absent. */
export interface SeenRun {
  readonly hook: string;
  readonly started: RunStarted;
  readonly ended?: RunEnded;
}

/** The runs that began in the step, in the order of their starts. */
export function runsOf({ moments }: Pick<Evidence, 'moments'>): readonly SeenRun[] {
  const ended = new Map<string, RunEnded>();
  for (const moment of moments) if (isEnd(moment)) ended.set(moment.run, moment);
  return moments.filter(isStart).map((started) => {
    const end = ended.get(started.run);
    return { hook: started.hook, started, ...(end !== undefined && { ended: end }) };
  });
}

function isStart(moment: Moment): moment is Moment & RunStarted {
  return moment.type === 'run-started';
}

function isEnd(moment: Moment): moment is Moment & RunEnded {
  return moment.type === 'run-ended';
}

function hookDifferences(
  hook: string,
  expected: readonly ExpectedRun[],
  runs: readonly SeenRun[],
): readonly Difference[] {
  const wanted = expected.map((run, index) => ({ run, index })).filter(({ run }) => run.hook === hook);
  const seen = runs.filter((run) => run.hook === hook);
  if (wanted.length === seen.length) {
    return wanted.flatMap(({ run, index }, place) => {
      const there = seen[place];
      return there === undefined ? [] : oneRunDifferences(run, there, ['runs', index]);
    });
  }
  const list = seen.map((run) => `\n  ${runText(run)}`).join('');
  const message = `expected ${wanted.length} run(s) of ${hook}, found ${seen.length}${list}`;
  return [{ at: ['runs'], message, found: runs.map((run) => whole(run, expected)) }];
}

/** The run in the form of the entry of its hook, for `--update`. */
function whole(run: SeenRun, expected: readonly ExpectedRun[]): JsonValue {
  const template = expected.find(({ hook }) => hook === run.hook) ?? { hook: run.hook };
  return projected({ ...template }, runValue(run));
}

/** The run in the form of an expectation. */
export function runValue({ hook, started, ended }: SeenRun): JsonObject {
  const { queue, attempt, contexts } = started;
  return { hook, queue, attempt, contexts: [...contexts], ...endOf(ended) };
}

function endOf(ended: RunEnded | undefined): JsonObject {
  if (ended === undefined) return { outcome: 'running', exit: null, message: null, next: null, output: [] };
  const { outcome, exitCode = null, message = null, next, output } = ended;
  return { outcome, exit: exitCode, message, next, output: [...output] };
}

/** What differs of one run. */
export function oneRunDifferences(expected: ExpectedRun, run: SeenRun, at: ExpectPath): readonly Difference[] {
  const { message, output, contexts, ...plain } = expected;
  const { ended } = run;
  const found = [
    ...differences({ ...plain }, runValue(run), at),
    ...(contexts === undefined ? [] : differences([...contexts], [...run.started.contexts], [...at, 'contexts'])),
    ...containing(message === undefined ? [] : [message], ended?.message, [...at, 'message']),
    ...containing(output ?? [], ended?.output.join('\n'), [...at, 'output']),
  ];
  const isNamed = [expected.outcome, expected.exit, message, expected.next].some((one) => one !== undefined);
  if (isNamed || ended?.outcome !== 'failed') return found;
  return [...found, { at, message: `the run failed, and the failure is not expected: ${ended.message ?? ''}` }];
}

/** The texts that `text` does not contain. */
function containing(texts: readonly string[], text: string | undefined, at: ExpectPath): readonly Difference[] {
  return texts
    .filter((part) => text?.includes(part) !== true)
    .map((part) => ({
      at,
      message: `expected a text with ${JSON.stringify(part)}, found ${text === undefined ? 'nothing' : JSON.stringify(text)}`,
      ...(at.at(-1) === 'message' && text !== undefined && { found: text }),
    }));
}

/** One line for people. */
export function runText({ hook, started, ended }: SeenRun): string {
  const bindings = started.contexts.map(bindingOf).filter((name) => name !== '');
  const attempt = started.attempt > 1 ? `, attempt ${started.attempt}` : '';
  const exit = ended?.exitCode === undefined ? '' : ` (exit ${ended.exitCode})`;
  const outcome = ended === undefined ? 'not ended' : `${ended.outcome}${exit}`;
  return `${hook} [${shortened(bindings)}]${attempt}: ${outcome}`;
}

const MAX_BINDINGS = 3;

function shortened(bindings: readonly string[]): string {
  const rest = bindings.length > MAX_BINDINGS ? [`${bindings.length - MAX_BINDINGS} more`] : [];
  return [...bindings.slice(0, MAX_BINDINGS), ...rest].join(', ');
}

function bindingOf(context: JsonValue): string {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) return '';
  const { binding, type, watchEvent } = context as JsonObject;
  const event = typeof watchEvent === 'string' ? watchEvent : type;
  return [binding, event].filter((part) => typeof part === 'string').join(' ');
}
