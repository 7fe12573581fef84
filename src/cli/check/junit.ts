import type { CheckProblem, CheckReport } from './report.ts';
import { xmlAttribute, xmlText } from '../text/xml-text.ts';

/** The report as JUnit XML: a test case for each hook, and for each skipped file, with its problems. */
export function checkJunit({ hooks, problems }: CheckReport): string {
  const files = new Set([...hooks.map(({ file }) => file), ...problems.map(({ file }) => file)]);
  const cases = [...files].map((file) => ({ file, problems: problems.filter((problem) => problem.file === file) }));
  const failures = cases.filter((one) => one.problems.some(isError)).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hooklet check" ${counts}>
  <testsuite name="hooklet check" ${counts}>
${cases.map(testCase).join('')}  </testsuite>
</testsuites>
`;
}

interface Case {
  readonly file: string;
  readonly problems: readonly CheckProblem[];
}

/** All errors of a case become one failure, because readers of JUnit XML accept only one. */
function testCase({ file, problems }: Case): string {
  const errors = problems.filter(isError);
  const warnings = problems.filter((problem) => !isError(problem));
  const line = errors[0]?.line ?? 1;
  const open = `    <testcase classname="hooklet check" name="${xmlAttribute(file)}" file="${xmlAttribute(file)}" line="${line}"`;
  if (problems.length === 0) return `${open}/>\n`;
  const failure =
    errors[0] === undefined
      ? ''
      : `      <failure type="error" message="${xmlAttribute(oneLine(errors[0]))}">${content(errors)}</failure>\n`;
  const output = warnings.length === 0 ? '' : `      <system-out>${content(warnings)}</system-out>\n`;
  return `${open}>\n${failure}${output}    </testcase>\n`;
}

function content(problems: readonly CheckProblem[]): string {
  return xmlText(problems.map((problem) => `${place(problem)}: ${oneLine(problem)}${printed(problem)}\n`).join(''));
}

function printed({ output }: CheckProblem): string {
  return Object.entries(output ?? {})
    .filter(([, text]) => text !== '')
    .map(([stream, text]) => `\n${stream}: ${text}`)
    .join('');
}

function place({ file, line }: CheckProblem): string {
  return line === null ? file : `${file}:${line}`;
}

function oneLine({ path, message }: CheckProblem): string {
  return path === '' ? message : `${path}: ${message}`;
}

function isError({ severity }: CheckProblem): boolean {
  return severity === 'error';
}
