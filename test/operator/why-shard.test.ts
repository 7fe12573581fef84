import { describe, expect, it } from 'vitest';
import type { KubernetesBinding } from '../../src/hook/binding.ts';
import type { ElectionStatus } from '../../src/kube/coordination/leader-election.ts';
import type { ResourceKind } from '../../src/kube/kind.ts';
import { sliceOfText } from '../../src/lib/slice-hash.ts';
import { ofReplica } from '../../src/operator/control/why-shard.ts';
import type { PlacedObject } from '../../src/operator/control/why-selection.ts';
import { OwnedSlices } from '../../src/operator/shards/owned-slices.ts';
import { hookWith, kubernetesBinding } from '../support/bindings.ts';

const kind: ResourceKind = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  shortNames: [],
  isNamespaced: true,
  verbs: [],
  subresources: [],
};
const object = { namespace: 'shop', uid: 'u-1' };
const slice = sliceOfText('mixed', 'shop');
const standingBy: ElectionStatus = { type: 'standing-by', leader: 'b' };

interface Asked {
  readonly owned?: readonly number[];
  readonly ofB?: readonly number[];
  readonly status?: ElectionStatus;
  readonly object?: PlacedObject;
}

function check(
  binding: KubernetesBinding,
  { owned = [], ofB = [], status = standingBy, object: asked = object }: Asked,
) {
  const slices = new OwnedSlices({
    hash: 'mixed',
    quiet: async () => {},
    isQuiet: () => true,
    onTaken: () => {},
    onGiven: () => {},
  });
  for (const index of owned) slices.take(index);
  const members = [
    { identity: 'a', state: 'alive', slices: owned },
    { identity: 'b', state: 'alive', slices: ofB },
  ] as const;
  const shown = { state: 'member', identity: 'a', members, moves: [], unheld: [] } as const;
  const found = ofReplica(hookWith('pods.sh', [binding]), binding, { slices, members: shown, status })(kind, asked);
  return found && `${found.result}: ${found.message}`;
}

describe('whether this replica runs a hook for an object', () => {
  const pods = kubernetesBinding('pods');

  it('says its slice, and who has that', () => {
    const which = `by its namespace it is in slice ${slice} of 64, which`;
    expect(check(pods, { owned: [slice] })).toBe(`yes: ${which} this replica has`);
    expect(check(pods, { ofB: [slice] })).toBe(`no: ${which} b has: ask there`);
    expect(check(pods, {})).toBe(`unknown: ${which} no replica is known to have now`);
  });

  it('goes by the uid where the binding says so', () => {
    const byUid = kubernetesBinding('pods', { shard: 'uid' });
    const index = sliceOfText('mixed', 'u-1');
    expect(index).not.toBe(slice);
    expect(check(byUid, { owned: [slice], ofB: [index] })).toMatch(/^no: by its uid .* b has: ask there$/);
    expect(check(byUid, { ofB: [index], object: { namespace: 'shop' } })).toBeUndefined();
  });

  it('names the replica that leads where objects are not divided', () => {
    const whole = kubernetesBinding('pods', { shard: 'none' });
    expect(check(whole, { status: { type: 'leading' } })).toBeUndefined();
    expect(check(whole, {})).toBe(
      'no: its objects are not divided: the replica that leads runs the hook, which is b: ask there',
    );
  });

  it('is not known where the kind cannot be divided so', () => {
    const together = [
      kubernetesBinding('pods', { includeSnapshotsFrom: ['nodes'] }),
      kubernetesBinding('nodes'),
    ] as const;
    const hook = hookWith('pods.sh', together);
    const slices = new OwnedSlices({
      hash: 'mixed',
      quiet: async () => {},
      isQuiet: () => true,
      onTaken: () => {},
      onGiven: () => {},
    });
    const members = { state: 'member', identity: 'a', members: [], moves: [], unheld: [] } as const;
    const checkNode = ofReplica(hook, together[1], { slices, members, status: standingBy });
    expect(checkNode({ ...kind, isNamespaced: false }, object)?.result).toBe('unknown');
  });
});
