import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCheck, type CheckOptions } from '../../src/cli/check/check.ts';
import { findTargets } from '../../src/cli/check/targets.ts';
import { isPassed, type CheckReport } from '../../src/cli/check/report.ts';
import { UsageError } from '../../src/errors.ts';
import { runConfig } from '../support/config-runner.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'check-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function put(name: string, text: string, mode = 0o755): Promise<void> {
  const path = join(root, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
}

async function putFixture(fixture: string, name: string): Promise<void> {
  await copyFile(fileURLToPath(new URL(`../fixtures/hooks/config-${fixture}.sh`, import.meta.url)), join(root, name));
}

/** A hook that prints its config from a heredoc, which begins on line 3. */
const printing = (config: string): string => `#!/bin/sh\ncat <<'EOF'\n${config}EOF\n`;

const WELL = printing('configVersion: v1\nonStartup: 1\n');

async function check(
  paths: readonly string[] = ['.'],
  { allowSkipped = false, isSharded = false }: Partial<CheckOptions> = {},
): Promise<CheckReport> {
  return runCheck(
    paths.map((path) => join(root, path)),
    {
      openReader: () => ({ readConfig: runConfig, [Symbol.asyncDispose]: async () => {} }),
      checkFilter: () => undefined,
      now: () => Date.parse('2026-05-01T10:00:00Z'),
      allowSkipped,
      isSharded,
      cwd: root,
    },
  );
}

/** Each problem as `file:line severity path: message`. */
const problemsOf = ({ problems }: CheckReport): readonly string[] =>
  problems.map(({ severity, file, line, path, message }) => `${file}:${line} ${severity} ${path}: ${message}`);

describe('runCheck', () => {
  it('tells a mistake in hooklet-executors.yaml at no line of the hook, and without what it printed', async () => {
    await put('a.sh', printing('configVersion: v1\nsettings: {timeout: 1m}\nonStartup: 1\n'));
    await put('hooklet-executors.yaml', 'executors: [{hooks: [a.sh], executor: {image: a}}]\n', 0o644);
    const { problems } = await check();

    expect(problems).toEqual([
      {
        severity: 'error',
        hook: 'a.sh',
        file: 'a.sh',
        line: 1,
        path: 'hooklet-executors.yaml: executors[0].executor',
        message: 'put image under executor.job',
      },
    ]);
  });

  it('reads hooklet-executors.yaml for a single file beside it, and not one that is misplaced', async () => {
    await put('sub/a.sh', WELL);
    await put('sub/hooklet-executors.yaml', 'executors: [{hooks: [a.sh], executor: job}]\n', 0o644);

    expect((await check(['sub/a.sh'])).hooks).toMatchObject([{ settings: 'executor job' }]);
    expect((await check()).hooks).toMatchObject([{ settings: '' }]);
    expect(problemsOf(await check())).toEqual([
      'sub/hooklet-executors.yaml:1 error : not read: put it into the top folder of the hooks',
    ]);
  });

  it('tells each hook with its bindings when all is well', async () => {
    await putFixture('valid', 'a.sh');

    expect(await check()).toEqual({
      hooks: [
        {
          name: 'a.sh',
          file: 'a.sh',
          type: 'process',
          bindings: [
            { type: 'onStartup', name: 'onStartup', queue: 'main', summary: 'onStartup 5' },
            {
              type: 'schedule',
              name: 'nightly',
              queue: 'slow',
              summary: 'schedule nightly: "TZ=UTC 0 3 * * *", next 2026-05-02T03:00:00.000Z, queue slow',
            },
            {
              type: 'kubernetes',
              name: 'pods',
              queue: 'main',
              summary: 'kubernetes pods: Pod, all namespaces, Added Modified Deleted, jqFilter .metadata.labels',
            },
          ],
          settings: '',
        },
      ],
      problems: [],
      summary: { hooks: 1, broken: 0, errors: 0, warnings: 0 },
    });
  });

  it('tells with --shards what cannot be divided, all at once, and how the rest is; without it nothing of that', async () => {
    await put(
      'a.sh',
      printing(
        `configVersion: v1
settings: {executor: job}
schedule:
- {name: tick, crontab: "* * * * *", includeSnapshotsFrom: [pods]}
kubernetes:
- {name: pods, kind: Pod, apiVersion: v1}
- name: nodes
  kind: Node
  apiVersion: v1
  shard: namespace
`,
      ),
    );
    await put('b.sh', printing('configVersion: v1\nkubernetes: [{name: nodes, kind: Node, apiVersion: v1}]\n'));
    const sharded = await check(['.'], { isSharded: true });

    expect(problemsOf(sharded)).toEqual([
      'a.sh:4 error settings.executor: only hooks whose objects are not divided have it: say shard: none in kubernetes pods, kubernetes nodes',
      'a.sh:6 error schedule[0].includeSnapshotsFrom: it runs on one replica, which has only a part of the objects of kubernetes pods: say shard: none there',
      expect.stringMatching(/^a\.sh:12 error kubernetes\[1]\.shard: Node is cluster-scoped: .*; say shard: uid$/),
    ]);
    expect(sharded.summary).toEqual({ hooks: 2, broken: 1, errors: 3, warnings: 0 });
    expect(sharded.hooks.flatMap(({ bindings }) => bindings.map(({ name, shards }) => [name, shards]))).toEqual([
      ['tick', 'on the replica with slice 00'],
      ['pods', 'divided by namespace'],
      ['nodes', 'divided by namespace'],
      ['nodes', 'divided by uid'],
    ]);

    const plain = await check();
    expect(plain.problems).toEqual([]);
    expect(plain.hooks.flatMap(({ bindings }) => bindings).filter((binding) => 'shards' in binding)).toEqual([]);
  });

  it('tells all problems of all hooks, each once', async () => {
    await putFixture('valid', 'a.sh');
    await putFixture('invalid', 'b.sh');
    await putFixture('exit-3', 'c.sh');

    const report = await check();

    expect(report.hooks.map(({ name }) => name)).toEqual(['a.sh']);
    const fields = ['severity', 'hook', 'file', 'line', 'path', 'message'];
    for (const problem of report.problems) expect(Object.keys(problem).slice(0, 6)).toEqual(fields);
    expect(report.summary).toEqual({ hooks: 3, broken: 2, errors: 4, warnings: 0 });
    expect(isPassed(report)).toBe(false);
    expect(problemsOf(report).join('\n')).toMatch(/onStartup: got "soon", expected a whole number/);
    expect(problemsOf(report).at(-1)).toBe('c.sh:1 error : --config exited with code 3, expected exit code 0');
    expect(report.problems.at(-1)?.output).toEqual({ stdout: 'configVersion: v1', stderr: 'about to fail' });
  });

  it('warns of a hook that reads the Secrets of all namespaces, once', async () => {
    const every = 'configVersion: v1\nkubernetes: [{kind: Secret}, {kind: Secret, name: again}]\n';
    const own = 'configVersion: v1\nkubernetes: [{kind: Secret, namespace: {nameSelector: {matchNames: [team]}}}]\n';
    const byName = 'configVersion: v1\nkubernetes: [{kind: Secret, nameSelector: {matchNames: [token]}}]\n';
    await put('every.sh', printing(every));
    await put('own.sh', printing(own));
    await put('name.sh', printing(byName));

    const report = await check();

    expect(report.problems).toMatchObject([
      {
        severity: 'warning',
        hook: 'every.sh',
        message: expect.stringMatching('every Secret of the cluster can be read'),
      },
    ]);
    expect(isPassed(report)).toBe(true);
  });

  it('warns of what is allowed and makes no sense, and passes', async () => {
    await put('a.sh', printing('configVersion: v1\nschedule:\n  - crontab: "*/5 * * * *"\n    jitter: 10m\n'));

    const report = await check();

    expect(isPassed(report)).toBe(true);
    expect(problemsOf(report)).toEqual([
      expect.stringContaining('a.sh:4 warning : schedule schedule: a jitter of 600 s is not shorter than'),
    ]);
  });

  it('warns of Jobs that are made every few seconds, and says of a hook that its runs are Jobs', async () => {
    const executor = 'settings:\n  executor: job\n';
    await put('a.sh', printing(`configVersion: v1\nschedule:\n  - crontab: "*/5 * * * * *"\n${executor}`));

    const report = await check();

    expect(report.hooks).toMatchObject([{ settings: 'executor job' }]);
    expect(problemsOf(report)).toEqual([
      expect.stringContaining('a.sh:7 warning : schedule schedule: each run is a Job'),
    ]);
  });

  it('warns of patterns in hooklet-executors.yaml that no hook has, whose runs would be in the operator', async () => {
    await put('a.sh', WELL);
    await put('hooklet-executors.yaml', 'executors: [{hooks: [a.sh, "heavy/*", b.sh], executor: job}]\n', 0o644);

    const report = await check();

    expect(report.hooks).toMatchObject([{ settings: 'executor job' }]);
    expect(problemsOf(report)).toEqual([
      'hooklet-executors.yaml:1 warning : no hook here has a name like "heavy/*", "b.sh"',
    ]);
  });

  describe('with what never runs', () => {
    const cases: readonly (readonly [string, () => Promise<void>, string])[] = [
      ['a file without executable permissions', async () => put('a.sh', WELL, 0o644), 'a.sh:1 error : no executable'],
      [
        'a module without a default export',
        async () => put('a.ts', "import { defineHook } from 'hooklet';\ndefineHook({});\n", 0o644),
        'a.ts:1 error : a hook needs a default export',
      ],
      ['an empty folder', async () => {}, '.:null error : no hooks here'],
      ['a folder of documents alone', async () => put('README.md', '#'), '.:null error : no hooks here'],
      ['a folder of a library alone', async () => put('lib/a.sh', WELL), '.:null error : no hooks here'],
      [
        'a link to a folder',
        async () => symlink(tmpdir(), join(root, 'linked')),
        'linked:1 error : not a hook: the link does not lead to a file',
      ],
    ];

    it.each(cases)('fails for %s', async (_what, make, expected) => {
      await make();

      const report = await check();

      expect(isPassed(report)).toBe(false);
      expect(problemsOf(report)).toContainEqual(expect.stringContaining(expected));
    });

    it.each(cases)('only warns of %s when that is allowed', async (_what, make) => {
      await make();

      const report = await check(['.'], { allowSkipped: true });

      expect(isPassed(report)).toBe(true);
      expect(report.summary.warnings).toBeGreaterThan(0);
    });

    it('fails for it beside hooks that are well', async () => {
      await put('a.sh', WELL);
      await put('b.sh', WELL, 0o644);

      expect(isPassed(await check())).toBe(false);
    });

    it('says nothing of what is left out on purpose', async () => {
      await put('a.sh', WELL);
      for (const path of ['values.yaml', 'a.json', 'README.md', 'notes.txt', '.hidden', 'sub/lib/x.sh', 'lib/x.ts']) {
        await put(path, 'data', 0o644);
      }

      expect(await check()).toMatchObject({ problems: [], summary: { hooks: 1 } });
    });

    it('warns of an executable in lib, and passes', async () => {
      await put('a.sh', WELL);
      await put('lib/tool', WELL);

      const report = await check();

      expect(isPassed(report)).toBe(true);
      expect(problemsOf(report)).toEqual([expect.stringContaining('lib/tool:1 warning : file has executable')]);
    });
  });

  describe('with several paths', () => {
    it('checks files and folders, each hook once', async () => {
      await put('one/a.sh', WELL);
      await put('two/a.sh', WELL);
      await put('two/b.sh', WELL);
      await put('two/c.sh', printing('configVersion: v9\n'));

      const { hooks, summary } = await check(['one', 'two/a.sh', 'two/b.sh', 'one/a.sh']);

      expect(hooks.map(({ file }) => file)).toEqual(['one/a.sh', 'two/a.sh', 'two/b.sh']);
      expect(summary).toEqual({ hooks: 3, broken: 0, errors: 0, warnings: 0 });
    });

    it('says of a file that was named why it is no hook', async () => {
      await put('a.yaml', 'a: 1');
      await put('b.sh', WELL, 0o644);

      expect(problemsOf(await check(['a.yaml', 'b.sh']))).toEqual([
        expect.stringContaining('a.yaml:1 error : not a hook: its name begins with a dot, or ends with .yaml'),
        expect.stringContaining('b.sh:1 error : no executable permissions'),
      ]);
    });

    it('refuses the empty path of an unset variable, which would be the current folder', async () => {
      await expect(findTargets([''])).rejects.toThrow('check: got an empty path');
    });

    it('refuses all that is not there', async () => {
      await put('a.sh', WELL);

      const checked = check(['absent', 'a.sh', 'gone.sh']);

      await expect(checked).rejects.toThrow(UsageError);
      await expect(checked).rejects.toThrow(/absent does not exist.*\n.*gone\.sh does not exist/);
    });
  });

  describe('says the line', () => {
    it('of the mistake in the script that printed the config', async () => {
      const entry = (kind: string): string =>
        `  - name: pods\n    apiVersion: v1\n    kind: ${kind}\n    jqFiltr: .a\n`;
      await put('a.sh', printing(`configVersion: v1\nkubernetes:\n${entry('Pod')}${entry('Podd')}onStartup: soon\n`));

      expect(problemsOf(await check())).toEqual([
        expect.stringContaining('a.sh:11 error kubernetes[1].kind: got "Podd"'),
        expect.stringContaining('a.sh:13 error onStartup: got "soon"'),
        expect.stringContaining('a.sh:8 error kubernetes[0].jqFiltr: unknown field'),
        expect.stringContaining('a.sh:12 error kubernetes[1].jqFiltr: unknown field'),
      ]);
    });

    it('of a mistake of YAML', async () => {
      await put('a.sh', printing('configVersion: v1\nkubernetes:\n  - kind: Pod\n   name: x\n'));

      expect(problemsOf(await check())[0]).toMatch(
        /^a\.sh:6 error : not YAML or JSON: .* at line 4, column \d+ \(config unmarshal\)$/,
      );
    });

    it.each([
      ['a shell', '#!/bin/sh\n\nset -u\necho "$nothing"\n', 4],
      ['bash', '#!/bin/bash\nset -u\necho "$nothing"\n', 3],
      ['Node', '#!/usr/bin/env node\n\nthrow new Error("no");\n', 3],
    ])('that %s names when it fails', async (_what, text, line) => {
      await put('a.sh', text);

      expect(problemsOf(await check())[0]).toMatch(new RegExp(`^a\\.sh:${line} error : --config exited with code`));
    });

    it('of the first, where the script does not show what it prints', async () => {
      await put('a.sh', '#!/bin/sh\nprintf "configVersion: v%s\\n" 9\n');

      expect(problemsOf(await check())).toContainEqual(expect.stringContaining('a.sh:1 error configVersion: got "v9"'));
    });
  });

  it('knows the built-in kinds, in a config that is valid otherwise', async () => {
    await put('a.sh', printing('configVersion: v1\nkubernetes:\n  - kind: Deployment\n    apiVersion: apps/v2\n'));

    const report = await check();

    expect(problemsOf(report)).toEqual([
      'a.sh:6 error kubernetes[0].apiVersion: apps/v2 has no Deployment, did you mean apps/v1?',
    ]);
    expect(report.summary).toEqual({ hooks: 1, broken: 1, errors: 1, warnings: 0 });
  });
});
