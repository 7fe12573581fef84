import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KUBE_FOLDERS, ROOMS, SHARED_FILES } from '../../oxlint.config.ts';
import { lint } from './lint.ts';

const rooms = Object.keys(ROOMS);
const targets = [...rooms, ...SHARED_FILES, 'main'];
const kubeFolders = Object.keys(KUBE_FOLDERS);

it('every folder of src, and of src/kube, has its place in the order', () => {
  expect(foldersOf('src')).toEqual(rooms.toSorted());
  expect(foldersOf('src/kube')).toEqual(kubeFolders.toSorted());
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
    .flatMap((line) => /src\/[a-z/]+\/imports-[a-z]+\.ts/.exec(line)?.[0] ?? [])
    .toSorted();
}

function foldersOf(path: string): readonly string[] {
  const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).toSorted();
}
