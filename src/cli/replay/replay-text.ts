import type { Recording } from '../../run/recording/recording.ts';
import { countText } from '../text/count-text.ts';
import type { Part } from './compare.ts';
import type { SandboxChange } from './sandbox-changes.ts';

/** What came of a replay. */
export interface ReplayReport {
  readonly recording: Recording;
  readonly parts: readonly Part[];
  readonly uncompared: number;
  /** A diff of what the operations did, which depends on what is in the sandbox. */
  readonly effects: string;
  readonly changes: readonly SandboxChange[];
  /** The number of objects that the sandbox was filled with. */
  readonly objects: number;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/** The report for people; `differing` are the parts that count. */
export function replayText(report: ReplayReport, differing: readonly Part[]): string {
  const { recording, parts, effects, changes, problems, notes } = report;
  const { run, hook } = recording;
  const width = Math.max(...parts.map(({ part }) => part.length));
  return [
    `run ${run.id} of ${hook.name}: ${run.reason}, attempt ${run.attempt}, ${run.started}\n`,
    `on a sandbox with ${countText(report.objects, 'object')} that it saw\n`,
    ...notes.map((note) => `note: ${note}\n`),
    '\n',
    ...parts.map((part) => partText(part, width, differing.includes(part))),
    ...problems.map((problem) => `\nthe replayed run: ${problem}\n`),
    ...(effects === '' ? [] : [`\nwhat the operations did, recorded and now:\n${effects}`]),
    ...(changes.length === 0 ? [] : ['\nin the sandbox:\n']),
    ...changes.map(({ change, object, diff }) => `${change} ${object}\n${indented(diff)}`),
    `\n${verdictText(report, differing)}\n`,
  ].join('');
}

/** The report for programs. */
export function replayJson(report: ReplayReport, differing: readonly Part[]): string {
  const { recording, parts, uncompared, effects, changes, objects, problems, notes } = report;
  const { run, hook, hooklet } = recording;
  const whole = {
    run: run.id,
    hook: hook.name,
    hooklet,
    same: differing.length === 0,
    parts: parts.map(({ part, isSame, summary, diff }) => ({
      part,
      same: isSame,
      summary,
      ...(!isSame && { diff, ignored: !differing.some((one) => one.part === part) }),
    })),
    uncompared,
    objects,
    effects,
    changes,
    problems,
    notes,
  };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

function partText({ part, isSame, summary, diff }: Part, width: number, isCounted: boolean): string {
  const verdict = isSame ? 'same' : isCounted ? 'differs' : 'differs, ignored';
  return `${part.padEnd(width)}  ${verdict}: ${summary}\n${isSame ? '' : `--- recorded\n+++ replayed\n${diff}`}`;
}

function verdictText({ uncompared }: ReplayReport, differing: readonly Part[]): string {
  const values = uncompared === 0 ? '' : ` ${countText(uncompared, 'masked value')} could not be compared.`;
  if (differing.length === 0) return `The run is the same.${values}`;
  return `The run differs: ${differing.map(({ part }) => part).join(', ')}.${values}`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
