import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { initProject, projectName } from '../../../src/cli/author/init.ts';
import { TEMPLATES, type TemplateName } from '../../../src/cli/author/templates.ts';
import { version } from '../../../src/cli/program/version.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { runProgram, startProgram } from '../../support/program.ts';
import { readManifests } from '../../support/example-rig.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

function path(...names: readonly string[]): string {
  return join(folder.path, ...names);
}

function made(template: TemplateName): string {
  const project = path(`my-${template}`);
  initProject(project, { template });
  return project;
}

function filesIn(project: string): readonly string[] {
  return readdirSync(project, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(project, file)).isFile())
    .toSorted();
}

/** What a run of each template's hooks in `dev` says, once something has happened. */
const SAYS: Readonly<Record<TemplateName, RegExp>> = {
  shell: /services\.sh \| services: \["database","web"\][^]*hook finished/,
  typescript: /services {2}hook=services\.ts.*hook_names=\["database","web"\][^]*hook finished/,
  python: /services\.py \| services: \['database', 'web'\][^]*hook finished/,
  operator: /patch applied {2}hook=pages\.ts.*ConfigMap\/default\/welcome change=created[^]*hook finished/,
  backup: /hook loaded {2}hook=backup\.sh\n {4}schedule nightly: .*missed latest/,
  webhook: /webhooks registered {2}kind=ValidatingWebhookConfiguration/,
};

function hasTestCommand(): boolean {
  return existsSync(join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'test', 'test-command.ts'));
}

function leaveOutDisturbances(scenario: string): void {
  writeFileSync(scenario, readFileSync(scenario, 'utf8').replace(/^perturb: .*$/m, ''));
}

describe('hooklet init', () => {
  it('makes hooks in which check finds nothing wrong, from every template', async () => {
    const { exitCode, stdout } = await runProgram(['check', ...TEMPLATES.map((name) => join(made(name), 'hooks'))]);

    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\n6 hook\(s\), no problems\n$/)]);
  });

  it.each(TEMPLATES)('makes hooks that run in dev at once, from the template %s', async (template) => {
    const program = startProgram(['dev'], { cwd: made(template) });
    await program.says(SAYS[template]);
    program.signal('SIGINT');

    expect(await program.ended).toBe(0);
    expect(program.stdout()).not.toMatch(/ (?:WARN|ERROR) /);
  });

  it.skipIf(!hasTestCommand())(
    'makes scenarios that pass, from every template',
    async () => {
      const files = TEMPLATES.flatMap((template) => {
        const project = made(template);
        const scenarios = readdirSync(join(project, 'scenarios')).map((file) => join(project, 'scenarios', file));
        // Once is enough for what they have in common, and some of each kind.
        if (template !== 'shell') scenarios.forEach(leaveOutDisturbances);
        return scenarios;
      });
      const { exitCode, stdout } = await runProgram(['test', '--plans', '6', ...files]);

      expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/6 passed/)]);
    },
    180_000,
  );

  it.each(TEMPLATES)('names the project and hooklet in its files, and nothing of the template %s', (template) => {
    const project = made(template);
    const files = filesIn(project);
    const texts = files.map((file) => readFileSync(join(project, file), 'utf8'));

    expect(texts.join('\n')).not.toMatch(/my-hooks|0\.0\.0/);
    expect(texts.join('\n')).toContain(`hooklet:${version}`);
    expect(files.filter((file) => /(?:^|\/)_/.test(file))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining(['.gitignore', '.dockerignore', '.github/workflows/ci.yml', 'Dockerfile', 'README.md']),
    );
    expect(files.some((file) => file.startsWith('scenarios/'))).toBe(true);
  });

  it.each(TEMPLATES)('makes manifests of the template %s whose account has no right in general', (template) => {
    const manifests = path(`my-${template}`, 'manifests');
    made(template);
    const [kustomization] = readManifests(join(manifests, 'kustomization.yaml'));
    const resources = kustomization?.['resources'] as readonly string[];
    const objects = resources
      .filter((file) => file.endsWith('.yaml'))
      .flatMap((file) => readManifests(join(manifests, file)));

    expect(objects.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Namespace', 'ServiceAccount', 'Role', 'RoleBinding', 'Deployment']),
    );
    expect(JSON.stringify(objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole'))).not.toContain(
      '"*"',
    );
    expect(
      readdirSync(manifests)
        .filter((file) => file !== 'kustomization.yaml')
        .toSorted(),
    ).toEqual(resources.filter((file) => file.endsWith('.yaml')).toSorted());
  });

  it('says what to do next, and to install the types only where there are some', () => {
    const printed = (template: TemplateName): string => initProject(path(`next-${template}`), { template });

    expect(printed('typescript')).toMatch(/Next:\n  cd .*\n  npm install .*\n  hooklet check hooks .*\n/);
    expect(printed('shell')).toMatch(/Next:\n  cd .*\n  hooklet check hooks .*\n/);
  });

  it('writes the status of the template operator at once, since its definition has all fields that hooklet adds', async () => {
    const args = ['test', '--no-perturb', '--timeline', join(made('operator'), 'scenarios', 'pages.yaml')];
    const { exitCode, stdout } = await runProgram(args);

    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/apply example\.com\/v1\/Page\/default\/welcome status\n/),
    ]);
    expect(stdout).not.toContain('refused');
  });

  it('makes hooks that can be executed, and nothing else that can', () => {
    const project = made('shell');

    expect(filesIn(project).filter((file) => (statSync(join(project, file)).mode & 0o111) !== 0)).toEqual([
      'hooks/services.sh',
    ]);
  });

  it.each(['a\nb', 'a\u001B[31m', 'a\u202Eb', 'x/\u0000', ''])('refuses the folder %j, and writes nothing', (name) => {
    const dir = name === '' ? '' : path(name);

    expect(() => initProject(dir, {})).toThrow(
      /^init: got (?:the folder ".*", expected a name without line breaks|an empty)/,
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('says cd as a shell reads it', () => {
    expect(initProject(path("my 'own' hooks"), {})).toContain(String.raw`/my '\''own'\'' hooks'`);
  });

  it.each(TEMPLATES)(
    'names the schema in scenarios of the template %s where npm installs it, and nowhere else',
    (template) => {
      const project = made(template);
      const scenario = readdirSync(join(project, 'scenarios'))[0] ?? '';
      const [first = ''] = readFileSync(join(project, 'scenarios', scenario), 'utf8').split('\n');
      const hint = '# yaml-language-server: $schema=../node_modules/hooklet/dist/schemas/scenario.schema.json';

      expect(first === hint).toBe(existsSync(join(project, 'package.json')));
    },
  );

  it('writes nothing through a link that leads out of the project', () => {
    mkdirSync(path('outside'));
    mkdirSync(path('project'));
    symlinkSync('../outside', path('project', 'hooks'));

    expect(() => initProject(path('project'), {})).toThrow(/nothing was written: hooks\//);
    expect(readdirSync(path('outside'))).toEqual([]);
  });

  it('lists all files that are in the way, and then writes nothing', () => {
    mkdirSync(path('hooks'));
    writeFileSync(path('README.md'), 'mine');
    symlinkSync('nowhere', path('Dockerfile'));

    expect(() => initProject(folder.path, {})).toThrow(
      /^init: .* has other files of these names, and nothing was written: Dockerfile, README\.md; move them away/,
    );
    expect(filesOrLinks(folder.path)).toEqual(['Dockerfile', 'README.md', 'hooks']);
  });

  it('makes what is missing, and leaves what it has made', () => {
    const project = made('python');
    expect(initProject(project, { template: 'python' })).toContain('has all files of the template python already');
    writeFileSync(join(project, 'README.md'), '');

    expect(() => initProject(project, { template: 'python' })).toThrow('nothing was written: README.md');
  });

  it('says where it cannot write', () => {
    writeFileSync(path('hooks'), '');

    expect(() => initProject(folder.path, {})).toThrow(/init: .*hooks.* cannot be written: E/);
  });

  it('names the templates, and the one that may be meant', async () => {
    const { exitCode, stderr } = await runProgram(['init', path('a'), '--template', 'typscript']);

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('did you mean typescript?')]);
  });

  it.each([
    ['/a/My Hooks', 'my-hooks'],
    ['/a/42-things_', 'things'],
    ['/', 'my-hooks'],
    [`/a/${'x'.repeat(80)}`, 'x'.repeat(50)],
  ])('makes a label of the name of a folder: %s', (given, label) => {
    expect(projectName(given)).toBe(label);
  });
});

function filesOrLinks(dir: string): readonly string[] {
  return readdirSync(dir).toSorted();
}
