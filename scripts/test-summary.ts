import { readFileSync } from 'node:fs';

/** The part of the output of vitest's JSON reporter that is used here. */
export interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly success: boolean;
  readonly testResults: readonly FileResult[];
}

interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly fullName: string;
  readonly status: string;
  /** The failures of all attempts: a passed test has some if it passed only when it was repeated. */
  readonly failureMessages: readonly string[];
}

export interface Summary {
  /** The last line is `N passed, N failed`. */
  readonly lines: readonly string[];
  readonly isPassed: boolean;
}

/** Summarizes the reports of the suites, including tests that were skipped, or passed only when they were repeated. */
export function summaryOf(reports: readonly TestReport[]): Summary {
  const files = reports.flatMap(({ testResults }) => testResults);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const unrun = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
  const failed = tests.filter(({ status }) => status === 'failed');
  const retried = tests.filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0);
  const broken = files.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  const count = (key: 'numPassedTests' | 'numFailedTests'): number =>
    reports.reduce((sum, report) => sum + report[key], 0);
  const passedTests = count('numPassedTests');
  const failedTests = count('numFailedTests');
  return {
    lines: [
      ...unrun.map(({ status, fullName }) => `not run (${status}): ${fullName}`),
      ...broken.map(({ name, message }) => `failed as a whole: ${name}: ${firstLine(message)}`),
      ...failed.map(({ fullName, failureMessages }) => `failed: ${fullName}: ${firstLine(failureMessages[0])}`),
      ...secondTries(retried),
      `${passedTests} passed, ${failedTests} failed`,
    ],
    isPassed: passedTests > 0 && failedTests === 0 && reports.every(({ success }) => success),
  };
}

function secondTries(tests: readonly TestResult[]): readonly string[] {
  if (tests.length === 0) return [];
  const noun = tests.length === 1 ? 'test' : 'tests';
  return [
    `${tests.length} ${noun} passed only at the second try:`,
    ...tests.map(({ fullName, failureMessages }) => `  ${fullName}: ${firstLine(failureMessages[0])}`),
  ];
}

function firstLine(text = ''): string {
  return text.split('\n', 1)[0] ?? '';
}

if (import.meta.main) {
  const reports = process.argv.slice(2).map((path): TestReport => JSON.parse(readFileSync(path, 'utf8')));
  const { lines, isPassed } = summaryOf(reports);
  console.log(`\n${lines.join('\n')}`);
  process.exitCode = isPassed ? 0 : 1;
}
