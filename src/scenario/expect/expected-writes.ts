import type { JsonObject, JsonValue } from '@hooklet/sandbox';
import type { ExpectedCall, ExpectedWrite } from '../expectation.ts';
import { shown } from '../../lib/shown.ts';
import type { Call, Moment, Write } from '../timeline.ts';
import { isOwnRecord } from '../own-records.ts';
import { countDifferences, listed } from './counts.ts';
import type { Difference } from './difference.ts';
import type { Evidence } from './evidence.ts';
import { differences, isSubset, projected } from './subset.ts';

/**
 * Whether a write counts for `writes`: it changed something, for a hook, and is no Lease, no Event, and nothing that
 * hooklet keeps for itself.
 */
export function isCounted(moment: Moment): moment is Moment & Write {
  if (moment.type !== 'write' || !moment.isChange) return false;
  const { by, object } = moment;
  if (by === 'hook') return true;
  return by === 'hooklet' && !isOwnRecord(object.kind, object.name);
}

/** Compares the writes of the step, in any order. */
export function writeDifferences(
  expected: number | readonly ExpectedWrite[],
  { moments, timeline }: Evidence,
): readonly Difference[] {
  const writes = moments.filter(isCounted);
  const lines = writes.map(writeText);
  if (typeof expected === 'number') return countDifferences('writes', expected, lines);
  const values = writes.map((write) => writeValue(write, timeline));
  const wanted = expected.map((one): JsonValue => ({ ...one }));
  const matched = matching(wanted, values);
  if (wanted.length === values.length && matched.every((index) => index !== undefined)) return [];
  const found = values.map((value, index) => {
    const template = wanted[matched.indexOf(index)] ?? wanted[0] ?? { verb: '', object: { kind: '', name: '' } };
    return projected(template, value);
  });
  const unmet = wanted.filter((_, index) => matched[index] === undefined).map((one) => `not found: ${shown(one, 300)}`);
  const extra = lines.filter((_, index) => !matched.includes(index)).map((line) => `not expected: ${line}`);
  const message = `expected ${wanted.length} write(s), found ${values.length}${listed([...unmet, ...extra])}`;
  return [{ at: ['writes'], message, found }];
}

/** The write in the form of an expectation; the timeline names the hook of its run. */
export function writeValue(
  { verb, by, run, object, subresource, before, after }: Write,
  timeline: readonly Moment[],
): JsonObject {
  const started = timeline.find((moment) => moment.type === 'run-started' && moment.run === run);
  const hook = started?.type === 'run-started' ? started.hook : null;
  return {
    verb,
    by,
    hook,
    object: { ...object },
    subresource: subresource ?? null,
    before: before ?? null,
    after: after ?? null,
  };
}

/**
 * For each expectation the place of a value that it fits, each value given once, as many as possible; undefined where
 * none is left.
 */
function matching(expected: readonly JsonValue[], values: readonly JsonValue[]): readonly (number | undefined)[] {
  const fits = expected.map((one) => values.flatMap((value, index) => (isSubset(one, value) ? [index] : [])));
  const takenBy = new Map<number, number>();
  const take = (index: number, tried: Set<number>): boolean =>
    (fits[index] ?? []).some((value) => {
      if (tried.has(value)) return false;
      tried.add(value);
      const holder = takenBy.get(value);
      if (holder !== undefined && !take(holder, tried)) return false;
      takenBy.set(value, index);
      return true;
    });
  for (const index of expected.keys()) take(index, new Set());
  const places = new Map([...takenBy].map(([value, index]) => [index, value]));
  return expected.map((_, index) => places.get(index));
}

/** One line for people. */
export function writeText({ verb, by, object, subresource, before, isChange, code }: Write): string {
  const { apiVersion, kind, namespace, name } = object;
  const target = [apiVersion, kind, ...(namespace === '' ? [] : [namespace]), name].join('/');
  const refused = code >= 400 ? ` refused with ${code}` : '';
  const effect = isChange || code >= 400 ? '' : ' (no change)';
  const created = verb === 'apply' && isChange && before === undefined ? ' (created)' : '';
  return `${by}: ${verb} ${target}${subresource === undefined ? '' : ` ${subresource}`}${refused}${effect}${created}`;
}

/** Compares the calls of stand-ins: those of each program in their order. */
export function callDifferences(
  expected: number | readonly ExpectedCall[],
  { moments }: Evidence,
): readonly Difference[] {
  const calls = moments.filter((moment): moment is Moment & Call => moment.type === 'call');
  if (typeof expected === 'number') return countDifferences('calls', expected, calls.map(callText));
  const programs = new Set([...expected, ...calls].map(({ program }) => program));
  return [...programs].flatMap((program) => {
    const wanted = expected.map((call, index) => ({ call, index })).filter(({ call }) => call.program === program);
    const seen = calls.filter((call) => call.program === program);
    if (wanted.length !== seen.length) {
      const message = `expected ${wanted.length} call(s) of ${program}, found ${seen.length}${listed(seen.map(callText))}`;
      return [{ at: ['calls'], message, found: calls.map((call) => wholeCall(call, expected)) }];
    }
    return wanted.flatMap(({ call, index }, place) => {
      const there = seen[place];
      return there === undefined ? [] : differences({ ...call }, callValue(there), ['calls', index]);
    });
  });
}

function wholeCall(call: Call, expected: readonly ExpectedCall[]): JsonValue {
  const template = expected.find(({ program }) => program === call.program) ?? { program: call.program };
  return projected({ ...template }, callValue(call));
}

/** The call in the form of an expectation. */
export function callValue({ program, args, exitCode, hook, stdin }: Call): JsonObject {
  const read = stdin === undefined ? {} : { stdin: stdin.replace(/\n+$/, '') };
  return { program, args: [...args], exit: exitCode ?? null, hook: hook ?? null, ...read };
}

/** One line for people. */
export function callText({ program, args, exitCode }: Call): string {
  const words = [program, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
  return `${words.join(' ')}: ${exitCode === undefined ? 'killed' : `exit ${exitCode}`}`;
}
