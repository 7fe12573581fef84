import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeFindings } from '../../src/cli/test/write-findings.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { markProcesses } from '../support/fault-processes.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';
import { runProgram, startProgram } from '../support/program.ts';

function project(body: string, story: string) {
  const folder = temporaryFolder();
  const { path } = folder;
  for (const name of ['hooks', 'tmp']) mkdirSync(join(path, name));
  const config = `[ "$1" != --config ] || { echo '{"configVersion": "v1", "onStartup": 1}'; exit; }`;
  writeFileSync(join(path, 'hooks', 'a.sh'), `#!/bin/sh\n${config}\n${body}\n`, { mode: 0o755 });
  writeFileSync(join(path, 'story.yaml'), story);
  return { path, tmp: join(path, 'tmp'), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

describe('hooklet test', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'leaves neither a process nor a folder behind when %s ends it while a world opens',
    async (signal) => {
      using given = project(': > "$BEGAN"; sleep 600', 'name: waits\n');
      const processes = markProcesses();
      const began = join(given.path, 'began');
      const env = { ...processes.env, TMPDIR: given.tmp, BEGAN: began, NODE_COMPILE_CACHE: undefined };
      const program = startProgram(['test', 'story.yaml'], { cwd: given.path, env });
      await until(() => expect(existsSync(began)).toBe(true));

      program.signal(signal);

      await program.ended;
      await until(() => expect(processes.pids()).toEqual([]));
      expect(readdirSync(given.tmp).filter((name) => name.startsWith('hooklet-'))).toEqual([]);
    },
  );

  it('--update refuses a pipe that a hook put in place of the file, to which nobody writes', async () => {
    using given = project(
      'rm ../story.yaml && mkfifo ../story.yaml || exit 1',
      'name: piped\ngiven: {expect: {runs: 7}}\n',
    );
    const { exitCode, stderr } = await runProgram(['test', 'story.yaml', '--update'], { cwd: given.path });

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('story.yaml is no file')]);
  });

  it('--seed takes no flag for a seed', async () => {
    using given = project('', 'name: seeded\n');
    const { exitCode, stderr } = await runProgram(['test', 'story.yaml', '--seed', '--all'], { cwd: given.path });

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--seed: got "--all"')]);
  });

  it('--write-findings writes 3 files for stories whose names have the same letters and digits', () => {
    using given = project('', 'name: x\n');
    const file = join(given.path, 'story.yaml');
    const finding = { kind: 'crash', disturbance: '', differences: [], plan: 'crash:1', timeline: [] } as const;
    const report = { findings: [finding] };
    const results = ['a b', 'a/b', '日'].map((name) => {
      const scenario = { name, file, document: 0, steps: [], perturb: { kinds: [] } };
      return { scenario: scenario as unknown as Scenario, report };
    });

    const written = writeFindings(results as unknown as Parameters<typeof writeFindings>[0]);

    expect(new Set(written.map((one) => one.file)).size).toBe(3);
    expect(written.every(({ isNew }) => isNew)).toBe(true);
  });
});
