import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { builtInTopology } from '../../src/patch/built-in-topology.ts';
import { applyStrategicMergePatch } from '../../src/patch/strategic-merge.ts';

const POD = builtInTopology({ group: '', version: 'v1', kind: 'Pod' });

function patchSpec(spec: JsonObject, patch: JsonObject): unknown {
  return applyStrategicMergePatch({ spec }, { spec: patch }, POD)['spec'];
}

function patchMetadata(metadata: JsonObject, patch: JsonObject): unknown {
  return applyStrategicMergePatch({ metadata }, { metadata: patch }, POD)['metadata'];
}

const containers = [
  { name: 'a', image: '1', env: [{ name: 'E', value: '1' }] },
  { name: 'b', image: '1' },
];

describe('lists with a merge key', () => {
  it('merge item by item, at every depth', () => {
    const patch = {
      containers: [
        {
          name: 'a',
          env: [
            { name: 'F', value: '2' },
            { name: 'E', value: '9' },
          ],
        },
      ],
    };

    expect(patchSpec({ containers }, patch)).toEqual({
      containers: [
        {
          name: 'a',
          image: '1',
          env: [
            { name: 'F', value: '2' },
            { name: 'E', value: '9' },
          ],
        },
        { name: 'b', image: '1' },
      ],
    });
  });

  it('put a new item before the old ones, as the server does', () => {
    expect(patchSpec({ containers }, { containers: [{ name: 'c' }] })).toEqual({
      containers: [{ name: 'c' }, ...containers],
    });
  });

  it('lose the item that a $patch deletes', () => {
    expect(patchSpec({ containers }, { containers: [{ name: 'a', $patch: 'delete' }] })).toEqual({
      containers: [containers[1]],
    });
  });

  it('are replaced by the items beside a $patch: replace', () => {
    expect(patchSpec({ containers }, { containers: [{ name: 'z' }, { $patch: 'replace' }] })).toEqual({
      containers: [{ name: 'z' }],
    });
  });

  it('come in the order that $setElementOrder gives', () => {
    const order = { '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }] };

    expect(patchSpec({ containers }, { ...order, containers: [{ name: 'c' }] })).toEqual({
      containers: [containers[1], { name: 'c' }, containers[0]],
    });
  });

  it('refuse an item without its key', () => {
    expect(() => patchSpec({ containers }, { containers: [{ image: 'x' }] })).toThrow(
      expect.objectContaining({
        code: 500,
        message: 'map: map[image:x] does not contain declared merge key: name',
      }),
    );
  });
});

describe('lists without a merge key', () => {
  it('are replaced', () => {
    const spec = { tolerations: [{ key: 'a' }] };

    expect(patchSpec(spec, { tolerations: [{ key: 'b' }] })).toEqual({ tolerations: [{ key: 'b' }] });
  });
});

describe('lists of scalars that merge', () => {
  it('take in what is new', () => {
    expect(patchMetadata({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] })).toEqual({
      finalizers: ['c', 'a', 'b'],
    });
  });

  it('lose what $deleteFromPrimitiveList names', () => {
    expect(patchMetadata({ finalizers: ['a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a'] })).toEqual({
      finalizers: ['b'],
    });
  });
});

describe('maps', () => {
  it('merge, and lose what is null', () => {
    expect(patchMetadata({ labels: { a: '1', b: '2' } }, { labels: { a: null, c: '3' } })).toEqual({
      labels: { b: '2', c: '3' },
    });
  });

  it('are replaced by $patch: replace, and emptied by $patch: delete', () => {
    expect(patchMetadata({ labels: { a: '1' } }, { labels: { $patch: 'replace', b: '1' } })).toEqual({
      labels: { b: '1' },
    });
    expect(patchMetadata({ labels: { a: '1' } }, { labels: { $patch: 'delete' } })).toEqual({ labels: {} });
  });

  it('keep only what $retainKeys names', () => {
    const spec = { volumes: [{ name: 'v', emptyDir: {} }] };
    const patch = { volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'c' } }] };

    expect(patchSpec(spec, patch)).toEqual({ volumes: [{ name: 'v', configMap: { name: 'c' } }] });
  });

  it('are not taken over with directives inside', () => {
    const patch = { volumes: [{ name: 'w', emptyDir: { $patch: 'delete' }, configMap: { name: 'c' } }] };

    expect(patchSpec({}, patch)).toEqual({ volumes: [{ name: 'w', configMap: { name: 'c' } }] });
  });
});

describe('a strategic merge patch that cannot be applied', () => {
  it.each<readonly [JsonObject, number, string]>([
    [{ labels: { $patch: 'merge', k: 'x' } }, 500, 'unknown patch type: merge in map: map[$patch:merge k:x]'],
    [{ labels: { $retainKeys: ['a'], b: '1' } }, 400, 'invalid patch format of retainKeys'],
    [{ ownerReferences: [{ uid: 'x', $patch: 'merge' }] }, 500, 'merging lists cannot yet be specified in the patch'],
  ])('is refused: %j', (patch, code, message) => {
    const metadata = { labels: { a: '1' }, ownerReferences: [{ uid: 'u' }] };

    expect(() => patchMetadata(metadata, patch)).toThrow(expect.objectContaining({ code, message }));
  });

  it('is refused when it is no object', () => {
    expect(() => applyStrategicMergePatch({}, [1], POD)).toThrow(
      expect.objectContaining({
        code: 400,
        message: 'json: cannot unmarshal array into Go value of type map[string]interface {}',
      }),
    );
  });
});
