import type { FileProblem } from '../../scenario/file/read-scenario.ts';
import type { PerturbFinding, PerturbReport } from '../../scenario/perturb/report.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { ToldStory } from '../../scenario/story/run-stories.ts';
import { countText } from '../text/count-text.ts';
import type { StoryFailure } from '../../scenario/story/run-story.ts';
import { lastOutput, timelineLines } from '../../scenario/story/timeline-text.ts';
import { commandOf, countsOf, problemText, type TestReport, verdictOf } from './report.ts';

const MAX_FAILURES = 20;
const MAX_OUTPUT = 10;

export interface StoryTextOptions {
  /** Its number among all, from 1. */
  readonly number: number;
  /** Whether what happened is printed for a story that passed, too. */
  readonly hasTimeline: boolean;
}

/** A story in the form of a TAP line, with what there is to say of it below. */
export function storyText(
  scenario: Scenario,
  result: ToldStory | undefined,
  { number, hasTimeline }: StoryTextOptions,
): string {
  const place = `${scenario.file}:${scenario.line}`;
  if (result === undefined) return `ok ${number} - ${scenario.name} (${place}) # SKIP not run\n`;
  const verdict = verdictOf(result) === 'passed' ? 'ok' : 'not ok';
  const head = `${verdict} ${number} - ${scenario.name} (${place}, ${timeText(result.tookMs)})`;
  const { failures, timeline, report } = result;
  const isFailed = failures.length > 0;
  return lines([
    head,
    ...indented(failureLines(scenario, failures)),
    ...indented(isFailed || hasTimeline ? titled('timeline:', timelineLines(timeline)) : []),
    ...indented(isFailed ? outputLines(result) : []),
    ...indented(isFailed ? [`again: ${commandOf(scenario)}`] : []),
    ...indented(report === undefined ? [] : reportLines(scenario, report, hasTimeline)),
  ]);
}

/** Problems of files, a line each. */
export function problemsText(problems: readonly FileProblem[]): string {
  return lines([...problems.map(problemText), `${problems.length} problem(s), no story was run`]);
}

/** The end of a report. */
export function summaryText(report: TestReport): string {
  const { passed, failed, 'not run': left } = countsOf(report);
  const plans = report.stories.reduce((sum, { result }) => sum + (result?.report?.plans ?? 0), 0);
  const parts = [`${passed} passed`, failed > 0 && `${failed} failed`, left > 0 && `${left} not run`];
  const perturbed = plans > 0 && countText(plans, 'perturbation');
  const told = [...parts, perturbed].filter((part) => part !== false).join(', ');
  return lines([
    `1..${report.stories.length}`,
    `# ${report.stories.length === 1 ? '1 story' : `${report.stories.length} stories`}: ${told}; ${timeText(report.tookMs)}`,
  ]);
}

function failureLines({ file }: Scenario, failures: readonly StoryFailure[]): readonly string[] {
  const shown = failures.slice(0, MAX_FAILURES).flatMap(({ line, where, path, message }) => {
    const [first = '', ...rest] = message.split('\n');
    return [`${file}:${line}: ${where}${path === '' ? '' : `: ${path}`}: ${first}`, ...indented(rest)];
  });
  const left = failures.length - MAX_FAILURES;
  return left > 0 ? [...shown, `… and ${left} more differences`] : shown;
}

function outputLines({ failures, timeline }: ToldStory): readonly string[] {
  const output = lastOutput(timeline.slice(failures[0]?.from ?? 0)) ?? lastOutput(timeline);
  return output === undefined ? [] : titled(`output of ${output.hook}:`, output.lines.slice(-MAX_OUTPUT));
}

function reportLines(scenario: Scenario, report: PerturbReport, hasTimeline: boolean): readonly string[] {
  const { plans, pruned, leftOut, kinds, findings } = report;
  const parts = [
    pruned > 0 && `${pruned} pruned, which cannot matter`,
    leftOut > 0 && `${leftOut} left out by the limit`,
  ].filter((part) => part !== false);
  const more = parts.length === 0 ? '' : ` (${parts.join('; ')})`;
  const head = `perturbed: ${countText(plans, 'plan')}${more}: ${findings.length === 0 ? 'no difference' : 'differences'}`;
  const failed = kinds.filter((kind) => kind.failed > 0).map((kind) => `${kind.kind} ${kind.failed} of ${kind.plans}`);
  return [
    failed.length === 0 ? head : `${head} in ${failed.join(', ')}`,
    ...findings.flatMap((finding) => indented(findingLines(scenario, finding, hasTimeline))),
  ];
}

function findingLines(scenario: Scenario, finding: PerturbFinding, hasTimeline: boolean): readonly string[] {
  return [
    `${finding.kind}: ${finding.disturbance}`,
    ...indented(finding.differences.flatMap((one) => one.split('\n'))),
    ...indented(hasTimeline ? titled('timeline:', timelineLines(finding.timeline)) : []),
    `again: ${commandOf(scenario, finding)}${hasTimeline ? '' : ' --timeline'}`,
  ];
}

function titled(title: string, below: readonly string[]): readonly string[] {
  return below.length === 0 ? [] : [title, ...indented(below)];
}

function indented(some: readonly string[]): readonly string[] {
  return some.map((line) => `  ${line}`);
}

function lines(some: readonly string[]): string {
  return some.map((line) => `${line.trimEnd()}\n`).join('');
}

/** `140 ms`, `1.2 s`. */
export function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
