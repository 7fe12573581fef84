import type { ToldStory } from '../../scenario/story/run-stories.ts';
import { storyText } from './report-text.ts';
import { problemText, type TestReport, verdictOf } from './report.ts';
import { xmlAttribute, xmlText } from '../text/xml-text.ts';

/** The report as JUnit XML: a suite for each file, a test case for each story, and one for each file with problems. */
export function reportJunit({ stories, problems, tookMs }: TestReport): string {
  const files = [...new Set([...problems, ...stories.map(({ scenario }) => scenario)].map(({ file }) => file))];
  const suites = files.map((file) => [
    ...stories.filter(({ scenario }) => scenario.file === file).map(storyCase),
    ...(problems.some((problem) => problem.file === file) ? [problemCase(file, problems)] : []),
  ]);
  const inner = files.map((file, index) => suite(file, suites[index] ?? [])).join('');
  const counts = countsText(suites.flat());
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hooklet test" ${counts} time="${seconds(tookMs)}">
${inner}</testsuites>
`;
}

type Outcome = 'passed' | 'failure' | 'error' | 'skipped';

interface Case {
  readonly outcome: Outcome;
  readonly xml: string;
}

function storyCase({ scenario, result }: TestReport['stories'][number], index: number): Case {
  const { file, line, name } = scenario;
  const open = opening({ file, line, name }, result?.tookMs ?? 0);
  const verdict = verdictOf(result);
  if (verdict === 'passed') return { outcome: 'passed', xml: `${open}/>\n` };
  if (result === undefined) return { outcome: 'skipped', xml: `${open}><skipped/></testcase>\n` };
  const text = storyText(scenario, result, { number: index + 1, hasTimeline: false });
  const failure = `<failure type="failure" message="${xmlAttribute(firstOf(result))}">${xmlText(text)}</failure>`;
  return { outcome: 'failure', xml: `${open}>\n      ${failure}\n    </testcase>\n` };
}

function opening({ file, line, name }: { file: string; line: number; name: string }, tookMs: number): string {
  const place = `file="${xmlAttribute(file)}" line="${line}" time="${seconds(tookMs)}"`;
  return `    <testcase classname="${xmlAttribute(file)}" name="${xmlAttribute(name)}" ${place}`;
}

function firstOf({ failures, report }: ToldStory): string {
  return failures[0]?.message ?? report?.findings[0]?.disturbance ?? '';
}

function problemCase(file: string, problems: TestReport['problems']): Case {
  const own = problems.filter((problem) => problem.file === file);
  const text = own.map((problem) => `${problemText(problem)}\n`).join('');
  const open = opening({ file, line: own[0]?.line ?? 1, name: 'can be read' }, 0);
  const error = `<error type="error" message="${xmlAttribute(own[0]?.message ?? '')}">${xmlText(text)}</error>`;
  return { outcome: 'error', xml: `${open}>\n      ${error}\n    </testcase>\n` };
}

function suite(file: string, cases: readonly Case[]): string {
  const inner = cases.map(({ xml }) => xml).join('');
  return `  <testsuite name="${xmlAttribute(file)}" ${countsText(cases)}>\n${inner}  </testsuite>\n`;
}

function countsText(cases: readonly Case[]): string {
  const count = (outcome: Outcome): number => cases.filter((one) => one.outcome === outcome).length;
  return `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
