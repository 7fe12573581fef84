import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import { checkSnapshots, effectiveSnapshots } from '../../src/hook/config-snapshots.ts';

const sources = [
  { name: 'pods', group: 'g' },
  { name: 'twice' },
  { name: 'nodes', group: 'g' },
  { name: 'twice', group: 'other' },
];

describe('effectiveSnapshots', () => {
  it.each([
    ['nothing without list and group', {}, []],
    ['its own list', { includeSnapshotsFrom: ['twice'] }, ['twice']],
    ['the members of the group', { group: 'g' }, ['pods', 'nodes']],
    [
      'its own list first, each name once',
      { includeSnapshotsFrom: ['nodes', 'x', 'x'], group: 'g' },
      ['nodes', 'x', 'pods'],
    ],
    ['nothing of a group without kubernetes bindings', { group: 'unknown' }, []],
  ])('are %s', (_law, wish, expected) => {
    expect(effectiveSnapshots(wish, sources)).toEqual(expected);
  });
});

describe('checkSnapshots', () => {
  it('wants each name to be that of exactly one binding', () => {
    const issues: Issue[] = [];

    const place = { path: 'schedule[0]', issues };
    checkSnapshots({ includeSnapshotsFrom: ['pods', 'pod', 'twice', 'elsewhere'] }, sources, place);

    expect(issues).toEqual([
      {
        path: 'schedule[0].includeSnapshotsFrom[1]',
        message:
          'got "pod", expected the name of a kubernetes binding of this hook (pods, twice, nodes); did you mean pods?',
      },
      {
        path: 'schedule[0].includeSnapshotsFrom[2]',
        message: "there are 2 kubernetes bindings called 'twice', give each its own name",
      },
      {
        path: 'schedule[0].includeSnapshotsFrom[3]',
        message: 'got "elsewhere", expected the name of a kubernetes binding of this hook (pods, twice, nodes)',
      },
    ]);
  });

  it('says that there is nothing to include', () => {
    const issues: Issue[] = [];

    checkSnapshots({ includeSnapshotsFrom: ['pods'] }, [], { path: '', issues });

    expect(issues).toMatchObject([{ message: expect.stringContaining('but this hook has none') }]);
  });
});
