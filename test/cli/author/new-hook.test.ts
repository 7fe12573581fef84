import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { newHook } from '../../../src/cli/author/new-hook.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { runProgram } from '../../support/program.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const LANGUAGES = ['shell', 'typescript', 'python'] as const;
const ON = [
  { name: 'pods', on: ['Pod'] },
  { name: 'nightly', on: ['schedule'] },
  { name: 'first', on: ['startup'] },
  { name: 'judge', on: ['webhook', 'deploy'] },
  { name: 'calls', on: ['http'] },
  { name: 'pages', on: ['reconcile', 'example.com/v1/Page'] },
  { name: 'jobs', on: ['batch/v1/Job'] },
] as const;

const hooksDir = (name = 'hooks'): string => join(folder.path, name);
const read = (...path: readonly string[]): string => readFileSync(join(folder.path, ...path), 'utf8');

describe('hooklet new hook', () => {
  it('makes hooks in which check finds nothing wrong, for all that can happen, in all languages', async () => {
    for (const lang of LANGUAGES) {
      for (const { name, on } of ON) newHook(`${name}-${lang}`, { on, lang, hooksDir: hooksDir() });
    }
    const { exitCode, stdout } = await runProgram(['check', hooksDir()]);

    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\n21 hook\(s\), no problems\n$/)]);
    expect(stdout).toMatch(/kubernetes pods-shell: v1 Pod, all namespaces/);
    expect(stdout).toMatch(/reconcile pages-python: example.com\/v1 Page, .*owns ConfigMap/);
    expect(stdout).toMatch(/kubernetesValidating judge-typescript.hooks.example.com: CREATE UPDATE of deployments/);
  });

  it('makes hooks that do what they say', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' } };
    writeFileSync(join(folder.path, 'pod.json'), JSON.stringify(pod));
    const run = async (lang: (typeof LANGUAGES)[number], extension: string): Promise<string> => {
      newHook(`pods-${lang}`, { on: ['Pod'], lang, hooksDir: hooksDir() });
      const hook = join(hooksDir(), `pods-${lang}.${extension}`);
      const { stdout } = await runProgram(['run', hook, '--event', 'Added', '--object', join(folder.path, 'pod.json')]);
      return stdout;
    };

    expect(await run('shell', 'sh')).toContain('Added web');
    expect(await run('python', 'py')).toContain('Added web');
    expect(await run('typescript', 'ts')).toMatch(/Added .*hook_name=web/);
  });

  it('makes a scenario beside the folder of hooks, which names the hook', () => {
    newHook('pods', { on: ['pods'], hooksDir: hooksDir('my-hooks') });
    const [story] = parseAllDocuments(read('scenarios', 'pods.yaml'));

    expect(story?.toJS()).toMatchObject({
      hooks: ['../my-hooks/pods.sh'],
      steps: [{ apply: { kind: 'Pod' }, expect: { runs: [{ hook: 'pods.sh', outcome: 'succeeded' }] } }],
    });
  });

  it('takes the language of most hooks that are there', () => {
    mkdirSync(hooksDir());
    for (const name of ['a.ts', 'b.py', 'c.ts']) writeFileSync(join(hooksDir(), name), '');

    expect(newHook('new', { on: ['startup'], hooksDir: hooksDir() })).toContain('new.ts');
  });

  it('says what to do next, with paths from where it is called', () => {
    const scenario = relative('.', join(folder.path, 'scenarios', 'pods.yaml'));

    expect(newHook('pods', { on: ['Pod'], hooksDir: hooksDir() })).toMatch(
      new RegExp(
        `\n  hooklet check ${hooksDir()} +find mistakes\n  hooklet test ${scenario} +run its scenario\n  hooklet rbac ${hooksDir()} +print the rights`,
      ),
    );
  });

  it('says what to do where the folder of hooks is a link', () => {
    mkdirSync(join(folder.path, 'else', 'where'), { recursive: true });
    symlinkSync('else/where', hooksDir());
    symlinkSync('no/where', hooksDir('dangling'));
    const real = join(realpathSync(folder.path), 'else', 'where');

    expect(() => newHook('pods', { on: ['Pod'], hooksDir: hooksDir() })).toThrow(
      `new hook: ${hooksDir()} is a link to ${real}, and the scenario belongs beside the hooks; name the folder itself: hooklet new hook pods --on Pod --hooks-dir ${real}`,
    );
    expect(() => newHook('pods', { on: ['Pod'], hooksDir: hooksDir('dangling') })).toThrow(
      'is a link to no/where, and that is not there: make it, or remove the link',
    );
    newHook('pods', { on: ['Pod'], hooksDir: real });
    expect(readdirSync(join(folder.path, 'else'), { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
      'scenarios',
      'scenarios/pods.yaml',
      'where',
      'where/pods.sh',
    ]);
  });

  it('names the schema in the scenario where hooklet is a package of the project, or of one above', () => {
    const first = (...path: readonly string[]): string => read(...path).split('\n')[0] ?? '';
    newHook('a', { on: ['startup'], hooksDir: hooksDir() });
    expect(first('scenarios', 'a.yaml')).toMatch(/^name: /);
    writeFileSync(join(folder.path, 'package.json'), '{"devDependencies": {"hooklet": "1.0.0"}}');
    mkdirSync(join(folder.path, 'part'));
    writeFileSync(join(folder.path, 'part', 'package.json'), '{"dependencies": {"other": "1.0.0"}, "x": null}');
    newHook('b', { on: ['startup'], hooksDir: hooksDir() });
    newHook('c', { on: ['startup'], hooksDir: hooksDir('part/hooks') });

    const path = 'node_modules/hooklet/dist/schemas/scenario.schema.json';
    expect(first('scenarios', 'b.yaml')).toBe(`# yaml-language-server: $schema=../${path}`);
    expect(first('part', 'scenarios', 'c.yaml')).toBe(`# yaml-language-server: $schema=../../${path}`);
  });

  it('overwrites nothing', () => {
    newHook('pods', { on: ['Pod'], hooksDir: hooksDir() });
    const before = read('hooks', 'pods.sh');

    expect(() => newHook('pods', { on: ['startup'], hooksDir: hooksDir() })).toThrow(
      'nothing was written: hooks/pods.sh, scenarios/pods.yaml; move them away, or choose another name',
    );
    expect(read('hooks', 'pods.sh')).toBe(before);
  });

  it.each([
    { name: '../up', on: ['Pod'], says: 'new hook: got "../up", expected a name' },
    { name: 'a', on: ['Podd'], says: '--on: got "Podd", expected schedule' },
    { name: 'a', on: ['scedule'], says: 'did you mean schedule?' },
    { name: 'a', on: ['reconcile'], says: '--on: reconcile needs the kind' },
    { name: 'a', on: ['reconcile', 'Page'], says: 'or GROUP/VERSION/KIND such as example.com/v1/Page' },
    { name: 'a', on: ['schedule', 'Pod'], says: '--on: got "schedule Pod", expected nothing after "schedule"' },
    { name: 'a', on: ['example.com/v1/page'], says: '--on: got "example.com/v1/page"' },
  ])('says what is wrong with $name on $on', ({ name, on, says }) => {
    expect(() => newHook(name, { on, hooksDir: hooksDir() })).toThrow(says);
  });

  it('says which languages there are', () => {
    expect(() => newHook('a', { on: ['Pod'], lang: 'pyton', hooksDir: hooksDir() })).toThrow('did you mean python?');
  });
});
