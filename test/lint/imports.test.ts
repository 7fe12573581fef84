import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KUBE_FOLDERS, PACKAGES, ROOMS, SHARED_FILES, SHARED_IMPORTS } from '../../oxlint.config.ts';
import { lint } from './lint.ts';

const rooms = Object.keys(ROOMS);
const targets = [...rooms, ...SHARED_FILES, 'main'];
const kubeFolders = Object.keys(KUBE_FOLDERS);
const packages = Object.keys(PACKAGES);

it('every folder of src, of src/kube and of packages has its place in the order', () => {
  expect(foldersOf('src')).toEqual(rooms.toSorted());
  expect(foldersOf('src/kube')).toEqual(kubeFolders.toSorted());
  expect(foldersOf('packages')).toEqual(packages.toSorted());
});

it('the linter refuses every import of a room against the order, and no other', { timeout: 60_000 }, () => {
  const probes = rooms.flatMap((room) =>
    ['', 'deep/'].flatMap((deep) =>
      targets
        .filter((target) => target !== room)
        .map((target) => ({
          file: `src/${room}/${deep}imports-${target}.ts`,
          from: `${deep === '' ? '../' : '../../'}${rooms.includes(target) ? `${target}/probe.ts` : `${target}.ts`}`,
          isRefused: ROOMS[room]?.includes(target) !== true,
        })),
    ),
  );

  expect(refusedOf(probes)).toEqual(filesToRefuse(probes));
});

it('the linter refuses every import between the folders of src/kube against their order, and no other', () => {
  const probes = kubeFolders.flatMap((folder) => [
    { file: `src/kube/${folder}/imports-above.ts`, from: '../above.ts', isRefused: folder === 'http' },
    { file: `src/kube/${folder}/imports-lib.ts`, from: '../../lib/probe.ts', isRefused: false },
    { file: `src/kube/${folder}/imports-operator.ts`, from: '../../operator/probe.ts', isRefused: true },
    ...kubeFolders
      .filter((target) => target !== folder)
      .map((target) => ({
        file: `src/kube/${folder}/imports-${target}.ts`,
        from: `../${target}/probe.ts`,
        isRefused: KUBE_FOLDERS[folder]?.includes(target) !== true,
      })),
  ]);

  expect(refusedOf(probes)).toEqual(filesToRefuse(probes));
});

it('the linter refuses a package in rooms that it is not for, and everywhere its files and doors for tests', () => {
  const places = [...rooms, 'kube/watch'].flatMap((place) => packages.map((name) => ({ place, name })));
  const probes = places.flatMap(({ place, name }) => {
    const [room = ''] = place.split('/');
    const up = '../'.repeat(place.split('/').length + 1);
    return [
      { file: `src/${place}/imports-${name}.ts`, from: `@hooklet/${name}`, isRefused: !PACKAGES[name]?.includes(room) },
      { file: `src/${place}/imports-tests-of-${name}.ts`, from: `@hooklet/${name}/testing`, isRefused: true },
      { file: `src/${place}/imports-files-of-${name}.ts`, from: `${up}packages/${name}/src/probe.ts`, isRefused: true },
    ];
  });
  const tests = packages.flatMap((name) => [
    { file: `test/room/imports-${name}.ts`, from: `@hooklet/${name}`, isRefused: false },
    { file: `test/room/imports-tests-of-${name}.ts`, from: `@hooklet/${name}/testing`, isRefused: false },
    { file: `test/room/imports-files-of-${name}.ts`, from: `../../packages/${name}/src/probe.ts`, isRefused: true },
  ]);

  expect(refusedOf([...probes, ...tests])).toEqual(filesToRefuse([...probes, ...tests]));
});

it('the linter refuses every import of a package from outside its folder, and none from inside', () => {
  const folders = packages
    .filter(isIndependent)
    .flatMap((name) =>
      ['src', 'test', 'src/deep', 'test/deep'].map((folder) => ({ name, folder: `packages/${name}/${folder}` })),
    );
  const probes = folders.flatMap(({ name, folder }) => {
    const up = '../'.repeat(folder.split('/').length);
    const own = '../'.repeat(folder.split('/').length - 2);
    return [
      { file: `${folder}/imports-own.ts`, from: `${own}src/probe.ts`, isRefused: false },
      { file: `${folder}/imports-lib.ts`, from: `${up}src/lib/probe.ts`, isRefused: true },
      { file: `${folder}/imports-operator.ts`, from: `${up}src/operator/probe.ts`, isRefused: true },
      { file: `${folder}/imports-support.ts`, from: `${up}test/support/probe.ts`, isRefused: true },
      { file: `${folder}/imports-hooklet.ts`, from: 'hooklet', isRefused: true },
      ...packages
        .filter((other) => other !== name)
        .flatMap((other) => [
          { file: `${folder}/imports-${other}.ts`, from: `@hooklet/${other}`, isRefused: true },
          { file: `${folder}/imports-files-of-${other}.ts`, from: `${own}../${other}/src/probe.ts`, isRefused: true },
        ]),
    ];
  });

  expect(refusedOf(probes)).toEqual(filesToRefuse(probes));
});

it.each(SHARED_FILES)('the linter refuses every import of a room or package in %s, but those that it may', (name) => {
  const froms = [...rooms.map((room) => `./${room}/probe.ts`), ...packages.map((other) => `@hooklet/${other}`)];
  const code = froms.map((from, index) => `import { probe as probe${index} } from '${from}';`);
  const refused = lint({ [`src/${name}.ts`]: code.join('\n') }).flatMap((line) => {
    const [, number] = /:(\d+):\d+: .*no-restricted-imports/.exec(line) ?? [];
    return number === undefined ? [] : froms.slice(Number(number) - 1, Number(number));
  });

  const allowed = (SHARED_IMPORTS[name] ?? []).map((room) => `./${room}/probe.ts`);
  expect(refused.toSorted()).toEqual(froms.filter((from) => !allowed.includes(from)).toSorted());
});

it('the linter lets the kubelet for tests import kube, lib and errors of hooklet, and nothing else', () => {
  const folders = ['packages/test-kubelet/src', 'packages/test-kubelet/test'];
  const probes = folders.flatMap((folder) => [
    ...rooms.map((room) => ({
      file: `${folder}/imports-${room}.ts`,
      from: `../../../src/${room}/probe.ts`,
      isRefused: room !== 'kube' && room !== 'lib',
    })),
    { file: `${folder}/imports-errors.ts`, from: '../../../src/errors.ts', isRefused: false },
    { file: `${folder}/imports-rig.ts`, from: '../../../test/cluster/rig.ts', isRefused: folder.endsWith('/src') },
    { file: `${folder}/imports-sandbox.ts`, from: '@hooklet/sandbox', isRefused: true },
    { file: `${folder}/imports-files-of-sandbox.ts`, from: '../../sandbox/src/probe.ts', isRefused: true },
  ]);

  expect(refusedOf(probes)).toEqual(filesToRefuse(probes));
});

/** All packages but the kubelet for tests are for others, too. */
function isIndependent(name: string): boolean {
  return name !== 'test-kubelet';
}

interface Probe {
  readonly file: string;
  readonly from: string;
  readonly isRefused: boolean;
}

function filesToRefuse(probes: readonly Probe[]): readonly string[] {
  return probes
    .filter(({ isRefused }) => isRefused)
    .map(({ file }) => file)
    .toSorted();
}

/** The files that the linter refuses for what they import. */
function refusedOf(probes: readonly Probe[]): readonly string[] {
  const code = ({ file, from }: Probe) => [file, `import { probe } from '${from}';\nexport const found = probe;`];
  return lint(Object.fromEntries(probes.map(code)))
    .filter((line) => line.includes('no-restricted-imports'))
    .flatMap((line) => /(?:src|test|packages)\/[a-z/-]+\/imports-[a-z-]+\.ts/.exec(line)?.[0] ?? [])
    .toSorted();
}

function foldersOf(path: string): readonly string[] {
  const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).toSorted();
}
