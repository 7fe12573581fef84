import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { summaryOf, type TestReport } from '../../scripts/test-summary.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function reportOf(...tests: readonly TestReport['testResults'][number]['assertionResults'][number][]): TestReport {
  const failed = tests.filter(({ status }) => status === 'failed').length;
  return {
    numPassedTests: tests.filter(({ status }) => status === 'passed').length,
    numFailedTests: failed,
    success: failed === 0,
    testResults: [
      { name: 'a.test.ts', status: failed === 0 ? 'passed' : 'failed', message: '', assertionResults: tests },
    ],
  };
}

const passed = { fullName: 'holds', status: 'passed', failureMessages: [] };

describe('the summary of the suites', () => {
  it('is one line where all is well', () => {
    expect(summaryOf([reportOf(passed), reportOf(passed, passed)])).toEqual({
      lines: ['3 passed, 0 failed'],
      isPassed: true,
    });
  });

  it('names what failed and what did not run', () => {
    const failed = { fullName: 'breaks', status: 'failed', failureMessages: ['Error: no\n    at x'] };
    const skipped = { fullName: 'rests', status: 'skipped', failureMessages: [] };

    expect(summaryOf([reportOf(passed, failed, skipped)])).toEqual({
      lines: ['not run (skipped): rests', 'failed: breaks: Error: no', '1 passed, 1 failed'],
      isPassed: false,
    });
  });

  it('names a file that could not even be loaded', () => {
    const file = { name: 'b.test.ts', status: 'failed', message: 'SyntaxError: x', assertionResults: [] };

    expect(summaryOf([reportOf(passed), { ...reportOf(), success: false, testResults: [file] }])).toEqual({
      lines: ['failed as a whole: b.test.ts: SyntaxError: x', '1 passed, 0 failed'],
      isPassed: false,
    });
  });

  it('does not pass without a test', () => {
    expect(summaryOf([]).isPassed).toBe(false);
  });

  it('names each test that passed at the second try alone, from what vitest reports of it', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'report.json');
    await runVitest(['--retry=1', '--reporter=json', `--outputFile.json=${path}`]);

    const report: TestReport = JSON.parse(readFileSync(path, 'utf8'));

    expect(summaryOf([report])).toEqual({
      lines: [
        "failed: fails at every try: AssertionError: expected 'this' to be 'that' // Object.is equality",
        '1 test passed only at the second try:',
        '  passes at the second try: AssertionError: expected 1 to be 2 // Object.is equality',
        '2 passed, 1 failed',
      ],
      isPassed: false,
    });
  });
});

async function runVitest(flags: readonly string[]): Promise<void> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = join(root, 'test/fixtures/second-try/vitest.config.ts');
  const { promise, resolve } = Promise.withResolvers<void>();
  execFile(process.execPath, [vitest, 'run', '--config', config, ...flags], () => resolve());
  await promise;
}
