import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { commandOf } from '../../src/cli/test/report.ts';
import { findScenarioFiles } from '../../src/cli/test/find-files.ts';
import { main } from '../../src/cli/program/program.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { runProgram, startProgram } from '../support/program.ts';

const HOOK = `#!/bin/sh
if [ "\${1:-}" = --config ]; then
  echo '{"configVersion": "v1", "schedule": [{"name": "tick", "crontab": "* * * * *"}]}'
  exit
fi
echo "one tick"
`;

const STORY = `# stays
name: runs every minute
steps:
  - tick: 1m
    expect: {runs: 1} # one
---
name: is slow (or not)
steps:
  - name: two minutes
    tick: 2m
    expect:
      runs: 7
      log: [one tick]
`;

let folder: ReturnType<typeof temporaryFolder>;
let cwd: string;

beforeAll(() => {
  folder = temporaryFolder();
  cwd = folder.path;
  mkdirSync(join(cwd, 'hooks'));
  mkdirSync(join(cwd, 'scenarios'));
  mkdirSync(join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'hooks', 'tick.sh'), HOOK);
  chmodSync(join(cwd, 'hooks', 'tick.sh'), 0o755);
  writeFileSync(join(cwd, 'node_modules', 'a.scenario.yaml'), '');
});

beforeEach(() => writeFileSync(join(cwd, 'scenarios', 'tick.yaml'), STORY));

afterAll(() => folder[Symbol.dispose]());

/** Runs the command without a process of its own, which needs no world. */
async function wrongUsage(...args: readonly string[]): Promise<string> {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => stderr.mockRestore());
  expect(await main(['test', ...args])).toBe(2);
  return stderr.mock.calls.map(([text]) => text).join('');
}

describe('hooklet test', () => {
  it('runs the stories below the folder, shows what differs and what happened, and exits 1', async () => {
    const { exitCode, stdout } = await runProgram(['test', '--jobs', '1'], { cwd });
    const lines = stdout.replaceAll(/\d+ ms|\d+\.\d s/g, 'T').split('\n');

    expect(exitCode).toBe(1);
    expect(lines.slice(0, 4)).toEqual([
      'TAP version 14',
      'ok 1 - runs every minute (scenarios/tick.yaml:2, T)',
      'not ok 2 - is slow (or not) (scenarios/tick.yaml:7, T)',
      '  scenarios/tick.yaml:9: step 1 "two minutes": expect.runs: expected 7, found 2',
    ]);
    expect(stdout).toMatch(/\n {4}01-01 00:01:00 {6}run {3}tick\.sh \[tick Schedule\]\n/);
    expect(stdout).toMatch(/\n {2}output of tick\.sh:\n {4}one tick\n/);
    expect(stdout).toContain(`\n  again: hooklet test scenarios/tick.yaml --filter '^is slow \\(or not\\)$'\n`);
    expect(lines.slice(-3)).toEqual(['1..2', '# 2 stories: 1 passed, 1 failed; T', '']);
  });

  it('--update writes what was found, keeps the rest, and the story passes; JUnit and JSON say so', async () => {
    const updated = await runProgram(['test', '--update'], { cwd });
    const text = readFileSync(join(cwd, 'scenarios', 'tick.yaml'), 'utf8');
    const junit = await runProgram(['test', 'scenarios', '-o', 'junit', '--filter', 'slow'], { cwd });

    expect([updated.exitCode, text]).toEqual([0, STORY.replace('runs: 7', 'runs: 2')]);
    expect(updated.stdout).toMatch(/\n# scenarios\/tick\.yaml: 1 value\(s\) updated\n$/);
    expect(junit.exitCode).toBe(0);
    expect(junit.stdout.replaceAll(/time="[\d.]+"/g, 'time="T"')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="hooklet test" tests="1" failures="0" errors="0" skipped="0" time="T">
  <testsuite name="scenarios/tick.yaml" tests="1" failures="0" errors="0" skipped="0">
    <testcase classname="scenarios/tick.yaml" name="is slow (or not)" file="scenarios/tick.yaml" line="7" time="T"/>
  </testsuite>
</testsuites>
`);
  });

  it('runs nothing while a file has a problem, and tells all of them with exit code 2', async () => {
    const file = join(cwd, 'scenarios', 'tick.yaml');
    writeFileSync(file, STORY.replace('tick: 1m', 'tik: 1m').replace('runs: 7', 'rns: 7'));
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => write.mockRestore());

    expect(await main(['test', join(cwd, 'scenarios'), '-o', 'json'])).toBe(2);
    expect(JSON.parse(write.mock.calls.map(([text]) => text).join(''))).toEqual({
      stories: [],
      problems: [
        { file, line: 4, path: 'steps[0].tik', message: 'unknown field, did you mean tick?' },
        { file, line: 12, path: 'steps[0].expect.rns', message: 'unknown field, did you mean runs?' },
      ],
      summary: { stories: 0, passed: 0, failed: 0, notRun: 0, tookMs: expect.any(Number) },
    });
  });

  it('--watch runs again when a story changes, and Ctrl-C ends it and leaves no process', async () => {
    const program = startProgram(['test', '--watch', '--filter', 'minute'], { cwd });
    await program.says(/ok 1 - runs every minute[^]*# waiting for changes/);
    writeFileSync(join(cwd, 'scenarios', 'tick.yaml'), STORY.replace('runs: 1', 'runs: 5'));
    await program.says(/not ok 1 - runs every minute[^]*# waiting for changes/);
    program.signal('SIGINT');

    expect(await program.ended).toBe(130);
    await expect.poll(() => hasGroup(program.pid)).toBe(false);
  });

  it.each([
    [['--filter', '('], '--filter: got "(", which is no regular expression'],
    [['--jobs', '0'], '--jobs: got "0", expected a whole number from 1 to 64'],
    [['-o', 'xml'], '--output: got "xml", expected one of text, json, junit'],
    [['--update', '--crash'], '--update writes expectations'],
    [['--watch', '-o', 'json'], '--watch prints text, not json'],
    [['/nowhere/a.yaml'], '"/nowhere/a.yaml" cannot be read: ENOENT'],
    [['docs'], 'no scenario files below docs'],
  ])('%j is wrong usage', async (args, message) => {
    expect(await wrongUsage(...args)).toContain(message);
  });

  it('prints the schema', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => write.mockRestore());

    expect(await main(['test', '--schema'])).toBe(0);
    expect(JSON.parse(write.mock.calls.map(([text]) => text).join(''))).toHaveProperty('properties.steps');
  });

  it('finds files by their names, and takes those that are named as they are', async () => {
    writeFileSync(join(cwd, 'any.yaml'), '');

    expect(await findScenarioFiles([], cwd)).toEqual(['scenarios/tick.yaml']);
    expect(await findScenarioFiles(['any.yaml', './scenarios'], cwd)).toEqual(['any.yaml', 'scenarios/tick.yaml']);
  });

  it('names a command that a shell reads as it is meant', () => {
    const given = { hooksDir: '/', objects: [], startMs: 0, env: {} };
    const scenario = {
      file: 'a b.yaml',
      line: 1,
      name: "it's 1+1",
      given,
      steps: [],
      never: [],
      perturb: { kinds: [] },
    };
    const finding = { kind: 'crash', disturbance: '', differences: [], plan: 'crash:2', timeline: [] } as const;

    expect(commandOf(scenario, finding)).toBe(
      String.raw`hooklet test 'a b.yaml' --filter '^it'\''s 1\+1$' --plan crash:2`,
    );
  });
});

function hasGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}
