import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';

const FILES = ['errors', 'log', 'metrics'];
const BELOW = ['hook', 'lib', ...FILES];

/** What each room may import, as src/README.md says it. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  queue: ['lib'],
  hook: ['lib', ...FILES],
  kube: BELOW,
  filter: BELOW,
  state: ['kube', 'lib', ...FILES],
  sources: ['state', 'kube', 'filter', ...BELOW],
  effects: ['kube', 'filter', ...BELOW],
  server: ['kube', 'filter', ...BELOW],
  runner: ['kube', 'filter', 'sdk', ...BELOW],
  run: ['runner', 'effects', ...BELOW],
  operator: ['run', 'sources', 'state', 'runner', 'effects', 'server', 'queue', 'kube', 'filter', ...BELOW],
  cli: [
    'operator',
    'run',
    'state',
    'sources',
    'runner',
    'effects',
    'server',
    'queue',
    'kube',
    'filter',
    'sandbox',
    'sdk',
    ...BELOW,
  ],
  sandbox: [],
  sdk: [],
};

const rooms = Object.keys(ALLOWED);
const targets = [...rooms, ...FILES, 'main'];

it('every folder of src has its place in the order', () => {
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());

  expect(folders.map(({ name }) => name).toSorted()).toEqual(rooms.toSorted());
});

it('the linter refuses every import against the order, and no other', { timeout: 60_000 }, () => {
  using folder = temporaryFolder();
  // None of these rules needs types, and what finds them looks for its program beside the files.
  const { options: _, ...config }: Record<string, unknown> = JSON.parse(readFileSync('.oxlintrc.json', 'utf8'));
  writeFileSync(join(folder.path, '.oxlintrc.json'), JSON.stringify(config));
  for (const room of rooms) {
    for (const deep of ['', 'deep/']) {
      mkdirSync(join(folder.path, 'src', room, deep), { recursive: true });
      for (const target of targets.filter((one) => one !== room)) {
        const from = `${deep === '' ? '../' : '../../'}${rooms.includes(target) ? `${target}/probe.ts` : `${target}.ts`}`;
        const code = `import { probe } from '${from}';\nexport const found = probe;\n`;
        writeFileSync(join(folder.path, 'src', room, deep, `imports-${target}.ts`), code);
      }
    }
  }

  const { stdout } = spawnSync(resolve('node_modules/.bin/oxlint'), ['--format', 'unix'], {
    cwd: folder.path,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });

  const refused = stdout
    .split('\n')
    .filter((line) => line.includes('no-restricted-imports'))
    .map((line) => /src\/([a-z]+\/(?:deep\/)?)imports-([a-z]+)\.ts/.exec(line))
    .map((match) => `${match?.[1]} ${match?.[2]}`);
  const expected = rooms.flatMap((room) =>
    targets
      .filter((target) => target !== room && !ALLOWED[room]?.includes(target))
      .flatMap((target) => [`${room}/ ${target}`, `${room}/deep/ ${target}`]),
  );
  expect(refused.toSorted()).toEqual(expected.toSorted());
});
