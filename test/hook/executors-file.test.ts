import { jobRuleOf } from '../../src/hook/executor-rule.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverFile, discoverHooks } from '../../src/hook/discover.ts';
import { loadHooks } from '../../src/hook/load.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

const CONFIGS: Readonly<Record<string, string>> = {
  'light.sh': '{"configVersion":"v1","onStartup":1}',
  'heavy/a.sh': '{"configVersion":"v1","onStartup":1}',
  'heavy/own.sh': '{"configVersion":"v1","onStartup":1,"settings":{"executor":{"job":{"image":"own"}}}}',
};

async function load(executors: string | undefined) {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  mkdirSync(join(folder, 'heavy'));
  for (const name of Object.keys(CONFIGS)) writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
  if (executors !== undefined) writeFileSync(join(folder, 'hooklet-executors.yaml'), executors);
  const { files } = await discoverHooks(folder);
  return await loadHooks(files, {
    readConfig: async ({ name }) => ({ exitCode: 0, stdout: CONFIGS[name] ?? '', stderr: '' }),
    checkFilter: () => undefined,
  });
}

async function imagesFor(executors: string | undefined): Promise<unknown> {
  const { hooks } = await load(executors);
  return Object.fromEntries(hooks.map((hook) => [hook.name, jobRuleOf(hook)?.image]));
}

describe('hooklet-executors.yaml', () => {
  it('says of each hook that a pattern names that it is a Job, but of one that says so itself', async () => {
    const text = 'executors: [{hooks: ["heavy/*"], executor: {job: {image: big}}}]';

    expect(await imagesFor(text)).toEqual({ 'light.sh': undefined, 'heavy/a.sh': 'big', 'heavy/own.sh': 'own' });
  });

  it('says of a hook which workers execute it', async () => {
    const { hooks } = await load('executors: [{hooks: ["heavy/*"], executor: {workers: {pool: big}}}]');

    expect(hooks.find(({ name }) => name === 'heavy/a.sh')?.settings.executor).toEqual({
      type: 'workers',
      pool: 'big',
    });
  });

  it('has no effect where it is not there', async () => {
    expect(await imagesFor(undefined)).toEqual({
      'light.sh': undefined,
      'heavy/a.sh': undefined,
      'heavy/own.sh': 'own',
    });
  });

  it('leaves a hook out by a pattern that names all others', async () => {
    const text = 'executors: [{hooks: ["!(light.sh)", "heavy/!(b.sh)"], executor: {job: {image: big}}}]';

    expect(await imagesFor(text)).toMatchObject({ 'light.sh': undefined, 'heavy/a.sh': 'big' });
  });

  it('gives a hook the first of several entries that name it', async () => {
    const entry = (image: string) => `{hooks: ["**"], executor: {job: {image: ${image}}}}`;

    expect(await imagesFor(`executors: [${entry('first')}, ${entry('second')}]`)).toMatchObject({
      'light.sh': 'first',
    });
  });

  it.each([
    { what: 'no hook', text: 'executors: [{hooks: [], executor: job}]', problem: 'executors[0].hooks: got []' },
    { what: 'a word', text: 'executors: [{hooks: ["*"], executor: pod}]', problem: 'executors[0].executor: got "pod"' },
    { what: 'no YAML', text: '[', problem: 'not YAML or JSON' },
    { what: 'a field', text: 'executor: job', problem: 'executor: unknown field, did you mean executors?' },
    { what: 'nothing', text: '', problem: 'it is empty, expected executors: [...]' },
    { what: 'comments alone', text: '---\n  # Later.\n', problem: 'it is empty, expected executors: [...]' },
    { what: 'a list', text: '- hooks: [a]', problem: 'got [{"hooks":["a"]}], expected a mapping with executors' },
    {
      what: 'two documents',
      text: 'executors: [{hooks: ["*"], executor: job}]\n---\nexecutors: [{hooks: ["**"], executor: job}]',
      problem: 'got more than one document, expected all entries in the first',
    },
    { what: 'its size', text: '#'.repeat(262_145), problem: 'got 262145 bytes, expected at most 262144' },
  ])(
    'with a mistake, $what, breaks all hooks: one that is meant to be apart must not run in the operator',
    async (one) => {
      const { hooks, broken } = await load(one.text);

      expect(hooks).toEqual([]);
      expect(broken.map(({ message }) => message)).toEqual(
        broken.map(() => expect.stringContaining(`hooklet-executors.yaml: ${one.problem}`)),
      );
      expect(broken).toHaveLength(3);
    },
  );

  it.each([
    ['heavy/hooklet-executors.yaml', 'not read: put it into the top folder of the hooks'],
    ['hooklet-executors.yml', 'not read: did you mean hooklet-executors.yaml?'],
    ['hooklet-executor.yaml', 'not read: did you mean hooklet-executors.yaml?'],
    ['heavy/hooklet-executors.yml', 'not read: did you mean hooklet-executors.yaml?'],
  ])('called %s it is not read, and discovery warns', async (name, message) => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'heavy'));
    writeFileSync(join(folder.path, 'a.sh'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(folder.path, name), 'executors: [{hooks: ["**"], executor: job}]');

    expect(await discoverHooks(folder.path)).toEqual({
      files: [{ name: 'a.sh', path: join(folder.path, 'a.sh'), type: 'process' }],
      warnings: [{ path: join(folder.path, name), message }],
    });
  });

  it('with a mistake is told without what the hooks printed, which has nothing to do with it', async () => {
    const { broken } = await load('executors: [{hooks: ["**"], executor: {image: a}}]');

    expect(broken.map(({ message, output }) => ({ message, output }))).toContainEqual({
      message: [
        'hook light.sh has 1 problem(s):',
        '  hooklet-executors.yaml: executors[0].executor: put image under executor.job',
      ].join('\n'),
      output: undefined,
    });
    expect(broken[0]?.summary).toBe(
      'hook heavy/a.sh: hooklet-executors.yaml has 1 problem(s); ERR_HOOK_CONFIG, see the log',
    );
  });

  it('counts for a single file beside it', () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'a.sh');
    writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(folder.path, 'hooklet-executors.yaml'), 'executors: [{hooks: ["a.sh"], executor: job}]');

    expect(discoverFile(path)).toMatchObject({ name: 'a.sh', executor: { rule: { type: 'job' } } });
  });
});
