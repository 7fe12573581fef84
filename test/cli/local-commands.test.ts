import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook } from '../support/operator-rig.ts';
import { runProgram } from '../support/program.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['hooks', 'out', 'tmp']) mkdirSync(join(folder.path, name));
});

afterEach(() => folder[Symbol.dispose]());

function hook(name: string, text: string): string {
  const path = join(folder.path, 'hooks', name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const run = async (args: readonly string[], stdin = '') =>
  runProgram(args, {
    cwd: join(folder.path, 'hooks'),
    stdin,
    env: { OUT: join(folder.path, 'out'), TMPDIR: join(folder.path, 'tmp') },
  });

describe('hooklet check', () => {
  it('exits with 0 and lists the hooks when all are well', async () => {
    hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }));

    const { exitCode, stdout, stderr } = await run(['check', '.']);

    expect([exitCode, stdout, stderr]).toEqual([0, 'a.sh\n  onStartup 1\n1 hook(s), no problems\n', '']);
    expect(readdirSync(join(folder.path, 'tmp')).filter((name) => name.startsWith('hooklet'))).toEqual([]);
  });

  it('exits with 1 and lists all problems, filters that do not compile too', async () => {
    hook('a.sh', recordingHook({ configVersion: 'v1', kubernetes: [{ kind: 'Pod', jqFilter: '.[' }] }));
    hook('b.sh', '#!/bin/sh\nexit 3\n');

    const { exitCode, stdout } = await run(['check', '.']);

    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/kubernetes\[0\]\.jqFilter: .*syntax error/);
    expect(stdout).toContain('--config exited with code 3');
    expect(stdout).toContain('2 hook(s), 2 broken, 2 problem(s)\n');
  });

  it('takes files and folders, and writes for machines', async () => {
    const path = hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }));
    hook('b.sh', recordingHook({ configVersion: 'v1', kubernetes: [{ kind: 'Podd', apiVersion: 'v1' }] }));

    const [one, json, github, junit] = await Promise.all([
      run(['check', path]),
      run(['check', '.', path, '-o', 'json']),
      run(['check', '--output', 'github', '.']),
      run(['check', '--output=junit', '.']),
    ]);

    expect([one.exitCode, json.exitCode, github.exitCode, junit.exitCode]).toEqual([0, 1, 1, 1]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      hooks: [{ file: 'a.sh' }, { file: 'b.sh' }],
      problems: [
        { severity: 'error', hook: 'b.sh', file: 'b.sh', path: 'kubernetes[0].kind', line: expect.any(Number) },
      ],
      summary: { hooks: 2, broken: 1, errors: 1, warnings: 0 },
    });
    expect(github.stdout).toMatch(/^::error file=b\.sh,line=\d+,title=hook b\.sh::kubernetes\[0\]\.kind: got "Podd"/);
    expect(junit.stdout).toContain('<testsuite name="hooklet check" tests="2" failures="1"');
  });

  it('finds the place in a TypeScript hook', async () => {
    const binding = "kubernetes({\n      apiVersion: 'v1',\n      kind: 'Podd',\n    })";
    const text = `import { defineHook, kubernetes } from 'hooklet';\nexport default defineHook({\n  bindings: {\n    pods: ${binding},\n  },\n  run() {},\n});\n`;
    writeFileSync(join(folder.path, 'hooks', 'a.ts'), text);

    const { exitCode, stdout } = await run(['check', '.']);

    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('a.ts:6: error: kubernetes[0].kind: got "Podd"')]);
  });

  it('fails for a folder without hooks, unless that is allowed', async () => {
    const [refused, allowed] = await Promise.all([run(['check', '.']), run(['check', '.', '--allow-skipped'])]);

    expect([refused.exitCode, allowed.exitCode]).toEqual([1, 0]);
    expect(refused.stdout).toMatch(/^\.: error: no hooks here/);
    expect(allowed.stdout).toMatch(/^\.: warning: no hooks here/);
  });

  it('refuses with --shards what start --shards would', async () => {
    const kubernetes = [{ name: 'pods', kind: 'Pod', apiVersion: 'v1' }];
    hook('a.sh', recordingHook({ configVersion: 'v1', settings: { executor: 'job' }, kubernetes }));
    const [plain, sharded] = await Promise.all([run(['check', '.']), run(['check', '.', '--shards'])]);

    expect([plain.exitCode, sharded.exitCode]).toEqual([0, 1]);
    expect(sharded.stdout).toContain('Added Modified Deleted; divided by namespace\n');
    expect(sharded.stdout).toMatch(/^a\.sh:\d+: error: settings\.executor: only hooks whose objects are not divided/m);
  });

  it('looks where start would', async () => {
    hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }));

    const { stdout } = await runProgram(['check'], { env: { SHELL_OPERATOR_HOOKS_DIR: join(folder.path, 'hooks') } });

    expect(stdout).toContain('a.sh\n');
  });
});

describe('hooklet run', () => {
  const body = `echo "to the log"
echo '{"operation":"Create","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm"}}}' > "$KUBERNETES_PATCH_PATH"`;

  it('prints what the hook asked for, and what it printed', async () => {
    const path = hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }, body));

    const { exitCode, stdout } = await run(['run', path, '--context', '-'], '[{"binding":"onStartup"}]');

    expect(exitCode).toBe(0);
    expect(stdout).toContain('a.sh | to the log\n');
    expect(stdout).toContain('patch Create v1/ConfigMap/cm\n    apiVersion: v1\n');
    expect(stdout).toMatch(/hook a\.sh succeeded in \d+ ms and asked for 1 patch operation\(s\) and 0 metric\(s\)\n$/);
  });

  it('exits with 1 when the hook fails, its config is broken or what it wrote cannot be read', async () => {
    const failing = hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }, 'exit 3'));
    const broken = hook('b.sh', recordingHook({ configVersion: 'v9' }));
    const garbage = hook(
      'c.sh',
      recordingHook({ configVersion: 'v1', onStartup: 1 }, 'echo "{" > "$KUBERNETES_PATCH_PATH"'),
    );
    const results = await Promise.all(
      [failing, broken, garbage].map(async (path) => run(['run', path, '--context', '-'], '[]')),
    );

    expect(results.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
    expect(results[0]?.stderr).toMatch(/^hooklet: hook a\.sh .*code 3/);
    expect(results[1]?.stderr).toContain('configVersion');
    expect(results[2]?.stderr).toContain('KUBERNETES_PATCH_PATH');
  });

  it('says of a hook whose runs are Jobs, or for workers, that here its file runs', async () => {
    const settings = { executor: { job: { image: 'etl:1' } } };
    const path = hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1, settings }));
    const plain = hook('b.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }));
    writeFileSync(join(folder.path, 'hooks/hooklet-executors.yaml'), 'executors: [{hooks: [b.sh], executor: job}]');

    const work = hook('c.sh', recordingHook({ configVersion: 'v1', onStartup: 1, settings: { executor: 'workers' } }));

    const results = await Promise.all(
      [path, plain, work].map(async (one) => run(['run', one, '--event', 'onStartup'])),
    );

    expect(results.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
      [0, 'hooklet: in a cluster this is a Job of etl:1; here the file itself runs\n'],
      [0, 'hooklet: in a cluster this is a Job of the image of the operator; here the file itself runs\n'],
      [0, 'hooklet: in a cluster a worker runs this; here the file itself runs\n'],
    ]);
  });

  it('exits with 0 for a run that is to come later, and with 1 where exit codes are plain', async () => {
    const path = hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }, 'exit 75'));
    const args = ['run', path, '--event', 'onStartup'];
    const env = { OUT: join(folder.path, 'out'), TMPDIR: join(folder.path, 'tmp') };

    const [later, plain] = await Promise.all([
      run(args),
      runProgram(args, { cwd: folder.path, env: { ...env, PLAIN_EXIT_CODES: 'true' } }),
    ]);

    expect([later.exitCode, later.stdout]).toEqual([0, expect.stringContaining('is to be run again later')]);
    expect([plain.exitCode, plain.stderr]).toEqual([1, expect.stringContaining('exit code 75')]);
  });

  it('makes the context of an event from an object in a file or on standard input', async () => {
    const kubernetes = [{ name: 'pods', kind: 'Pod', jqFilter: '.metadata.labels' }];
    const path = hook('a.sh', recordingHook({ configVersion: 'v1', kubernetes }, 'cat "$BINDING_CONTEXT_PATH"'));
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {app: web}}\n';
    writeFileSync(join(folder.path, 'pod.yaml'), pod);

    const [file, stdin, refused] = await Promise.all([
      run(['run', path, '--event', 'Added', '--object', '../pod.yaml']),
      run(
        ['run', path, '--event', 'Added', '--object', '-'],
        `{"kind":"PodList","items":[${JSON.stringify(parse(pod))}]}`,
      ),
      run(['run', path, '--event', 'Schedule']),
    ]);

    for (const { exitCode, stdout } of [file, stdin]) {
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('"filterResult":{"app":"web"}')]);
    }
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('hook a.sh does not run on Schedule: it has kubernetes pods'),
    ]);
  });

  it('refuses the contexts of another hook, with the names that exist', async () => {
    const path = hook('a.sh', recordingHook({ configVersion: 'v1', onStartup: 1 }));

    const { exitCode, stderr } = await run(['run', path, '--context', '-'], '[{"binding":"pods"}]');

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('it has no binding "pods", but onStartup')]);
  });
});
