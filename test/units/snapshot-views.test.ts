import { describe, expect, it } from 'vitest';
import type { SnapshotOperations } from '../../src/hook/debug-view.ts';
import { SnapshotViews } from '../../src/units/snapshot-views.ts';
import { kubernetesBinding } from '../support/bindings.ts';

const NONE: SnapshotOperations = { added: 0, deleted: 0, modified: 0, cleaned: 0 };

describe('the views of snapshots', () => {
  it('count since the last run, however often they are read', () => {
    let operations = { ...NONE, added: 2 };
    const binding = kubernetesBinding('pods');
    const views = new SnapshotViews(new Map([[binding, { snapshot: () => [], operations: () => operations }]]));
    const counts = () => views.all().map(({ sinceStart, sinceLastExecution }) => [sinceStart, sinceLastExecution]);

    expect([counts(), counts()]).toEqual([[[operations, operations]], [[operations, operations]]]);
    views.executed();
    expect(counts()).toEqual([[operations, NONE]]);
    operations = { added: 3, deleted: 1, modified: 4, cleaned: 1 };
    expect([counts(), counts()]).toEqual([
      [[operations, { added: 1, deleted: 1, modified: 4, cleaned: 1 }]],
      [[operations, { added: 1, deleted: 1, modified: 4, cleaned: 1 }]],
    ]);
  });

  it('have the snapshot of each binding', () => {
    const [pods, maps] = [kubernetesBinding('pods'), kubernetesBinding('maps')];
    const items = [{ namespace: 'default', name: 'web' }];
    const views = new SnapshotViews(
      new Map([
        [pods, { snapshot: () => items }],
        [maps, { snapshot: () => [] }],
      ]),
    );

    expect(views.all().map(({ binding, snapshot }) => [binding.name, snapshot])).toEqual([
      ['pods', items],
      ['maps', []],
    ]);
  });
});
