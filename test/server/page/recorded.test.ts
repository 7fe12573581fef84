import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { RecordingControl } from '../../../src/hook/run-control.ts';
import { fakeAccess, pageRig } from '../../support/page-rig.ts';

const metadata = { namespace: 'shop', name: 'web', uid: 'u1' };
const SEEN = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 1, paused: true } };
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'shop', name: 'key' },
  data: { a: 'bWFyaw==' },
};

function recordingsOf(recording: unknown): RecordingControl {
  const bytes = gzipSync(JSON.stringify(recording));
  return { state: () => ({ type: 'kept', bytes: bytes.length }), read: async () => bytes };
}

/** The rows of the changes that the page of a run shows, as text. */
async function changesOf(patch: readonly unknown[], result: readonly unknown[] = []): Promise<readonly string[]> {
  const contexts = [{ binding: 'a', snapshots: { a: [{ object: SEEN }, { object: SECRET }] } }];
  const outputs = { patch: { documents: patch }, result: { documents: result } };
  const rig = await pageRig({ recordings: recordingsOf({ contexts, outputs }) });
  rig.succeed(rig.start('web', 'aaaa-1'));
  const { text } = await rig.get('/run?id=aaaa-1');
  const [, part = ''] = text.split('<h2>Changes of objects');
  const [list = ''] = part.split('<section>');
  const words = (html: string): string =>
    html
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
  return list.split('<tr role="row">').slice(2).map(words);
}

const about = { kind: 'Deployment', namespace: 'shop', name: 'web' };

describe('the environment of a run', () => {
  it('is compared with that of the run before, for those who may read payloads', async () => {
    const access = fakeAccess({ ann: ['get runs', 'list runs'], bob: ['*'] });
    const rig = await pageRig({ door: { type: 'tokens', access } });
    rig.succeed(rig.start('web', 'aaaa-1'));
    rig.succeed(rig.start('web', 'bbbb-2'));
    rig.state.environmentChange = { same: 7, changes: [{ name: 'TOKEN<b>', before: '11111111' }] };
    const textOf = async (id: string, user: string): Promise<string> =>
      (await rig.get(`/run?id=${id}`, { authorization: `Bearer ${user}` })).text;

    const shown = await textOf('bbbb-2', 'bob');
    expect(shown).toContain('TOKEN&lt;b&gt;');
    expect(shown).toContain('not there');
    expect(shown).toContain('aaaa-1</a>: hashes of values; 7 variables are the same');
    expect(await textOf('aaaa-1', 'bob')).not.toContain('<h2>Environment');
    expect(await textOf('bbbb-2', 'ann')).not.toContain('TOKEN');
  });
});

describe('the changes of objects of a recorded run', () => {
  it.each([
    [
      'a merge patch',
      { ...about, operation: 'MergePatch', mergePatch: { spec: { replicas: 3, paused: null } } },
      'Deployment shop/web MergePatch spec.replicas: 1 → 3 spec.paused: true (removed)',
    ],
    [
      'a merge patch of what the hook did not see',
      { ...about, name: 'db', operation: 'MergePatch', mergePatch: { spec: { replicas: 3 } } },
      'Deployment shop/db MergePatch spec.replicas: 3 (new) it was not among what the hook saw',
    ],
    [
      'a JSON patch',
      { ...about, operation: 'JSONPatch', jsonPatch: [{ op: 'replace', path: '/spec/replicas', value: 2 }] },
      'Deployment shop/web JSONPatch replace /spec/replicas: 1 → 2',
    ],
    [
      'a jq patch',
      { ...about, operation: 'JQPatch', jqFilter: '.spec.replicas = 2' },
      'Deployment shop/web JQPatch .spec.replicas = 2',
    ],
    [
      'an object that is there',
      { operation: 'CreateOrUpdate', object: { ...SEEN, spec: { replicas: 4 } } },
      'Deployment shop/web CreateOrUpdate spec.replicas: 1 → 4',
    ],
    [
      'an object as it is',
      { operation: 'CreateOrUpdate', object: SEEN },
      'Deployment shop/web CreateOrUpdate nothing differs',
    ],
    [
      'a Secret, whose values are masked twice',
      { operation: 'Apply', object: { ...SECRET, data: { a: 'bmV1' } } },
      'Secret shop/key Apply data.a: *** → *** (another value)',
    ],
    ['a deletion', { ...about, operation: 'Delete' }, 'Deployment shop/web Delete'],
    [
      'nothing of sense',
      { operation: '<b>', object: { kind: 7 } },
      '&lt;b&gt; kind: 7 (new) it was not among what the hook saw',
    ],
  ])('of %s are shown as the hook saw it, and as it asked', async (_, patch, shown) => {
    expect((await changesOf([patch]))[0]).toContain(shown);
  });

  it('have the children that its result names', async () => {
    expect(await changesOf([], [{ children: [{ ...SEEN, spec: { replicas: 9 } }] }])).toEqual([
      expect.stringContaining('Deployment shop/web child spec.replicas: 1 → 9'),
    ]);
  });

  it('are 20 objects at most, with 30 fields each', async () => {
    const spec = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`field${index}`, index]));
    const rows = await changesOf(Array.from({ length: 25 }, () => ({ operation: 'Apply', object: { ...SEEN, spec } })));

    expect(rows).toHaveLength(20);
    expect(rows[0]).toContain('and 10 more');
  });

  it('are compared up to 512 KiB of objects, so that none keeps the page from others', async () => {
    const spec = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`f${index}`, index]));
    const rows = await changesOf([1, 2].map(() => ({ operation: 'Apply', object: { ...SEEN, spec } })));

    expect(rows[0]).toContain('spec.f0: 0 (new)');
    expect(rows[1]).toContain('too large for the page: export the run');
  });

  it('are shown to those who may read payloads alone, and survive what is no recording', async () => {
    const door = { type: 'tokens', access: fakeAccess({ ann: ['get runs'] }) } as const;
    const outputs = { patch: { documents: [{ operation: 'Apply', object: SEEN }] } };
    const rig = await pageRig({ door, recordings: recordingsOf({ contexts: [], outputs }) });
    rig.start('web', 'aaaa-1');
    expect((await rig.get('/run?id=aaaa-1', { authorization: 'Bearer ann' })).text).not.toContain('Changes of objects');

    for (const recording of [
      7,
      null,
      [],
      { outputs: 7 },
      { outputs: { patch: { documents: [null, 7] } }, contexts: 'x' },
    ]) {
      const odd = await pageRig({ recordings: recordingsOf(recording) });
      odd.start('web', 'aaaa-1');
      expect((await odd.get('/run?id=aaaa-1')).status).toBe(200);
    }
  });
});
