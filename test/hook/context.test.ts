import { describe, expect, it } from 'vitest';
import type { Binding, KubernetesBinding } from '../../src/hook/binding.ts';
import { writeContexts, type RunFacts, type SnapshotReader } from '../../src/hook/context.ts';
import type { ScheduledRun, Snapshot, SnapshotItem, Trigger } from '../../src/hook/trigger.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const pod = (name: string, fields: Partial<SnapshotItem> = {}): SnapshotItem => ({
  namespace: 'default',
  name,
  object: bytes(`{"kind":"Pod","metadata":{"name":"${name}"}}`),
  ...fields,
});

const empty: SnapshotReader = () => [];

function write(triggers: readonly Trigger[], bindings: readonly Binding[] = [], read = empty): string {
  const [first, ...rest] = triggers;
  if (first === undefined) throw new Error('no trigger');
  return Buffer.concat(
    writeContexts({ hook: hookWith('hook', bindings), triggers: [first, ...rest] }, read),
  ).toString();
}

const filter = { type: 'jq', expression: '.x' } as const;

describe('writeContexts', () => {
  it('writes onStartup with nothing but its binding', () => {
    expect(write([{ type: 'onStartup', binding: onStartupBinding }])).toBe('[{"binding":"onStartup"}]\n');
  });

  it('writes a schedule', () => {
    expect(write([tickOf(scheduleBinding('every <minute>'))])).toBe(
      '[{"attempt":1,"binding":"every \\u003cminute\\u003e","reason":"tick","runId":"run-1",' +
        '"scheduledAt":"2026-01-01T00:00:00Z","type":"Schedule"}]\n',
    );
  });

  it.each<[string, Partial<ScheduledRun>, RunFacts, string]>([
    ['first', {}, { attempt: 1 }, '"attempt":1,"binding":"b","reason":"tick","runId":"run-1",'],
    [
      'repeated',
      {},
      { attempt: 3, lastSuccessMs: Date.UTC(2025, 11, 31, 2, 0, 7, 123) },
      '"attempt":3,"binding":"b","lastSuccess":"2025-12-31T02:00:07Z","reason":"retry","runId":"run-1",',
    ],
    [
      'late',
      { reason: 'catch-up', runId: 'run-2' },
      { attempt: 1 },
      '"attempt":1,"binding":"b","reason":"catch-up","runId":"run-2",',
    ],
    ['manual', { reason: 'manual' }, { attempt: 1 }, '"attempt":1,"binding":"b","reason":"manual","runId":"run-1",'],
  ])('says of a %s run of a schedule which one it is', (_what, run, facts, members) => {
    const task = { hook: hookWith('hook'), triggers: [tickOf(scheduleBinding('b'), run)] } as const;

    expect(Buffer.concat(writeContexts(task, empty, () => facts)).toString()).toBe(
      `[{${members}"scheduledAt":"2026-01-01T00:00:00Z","type":"Schedule"}]\n`,
    );
  });

  it('writes a Synchronization with the objects of now', () => {
    const pods = kubernetesBinding('pods');
    const read: SnapshotReader = (binding) => (binding === pods ? [pod('a'), pod('b')] : []);

    expect(write([{ type: 'synchronization', binding: pods }], [pods], read)).toBe(
      '[{"binding":"pods","objects":[{"object":{"kind":"Pod","metadata":{"name":"a"}}},' +
        '{"object":{"kind":"Pod","metadata":{"name":"b"}}}],"type":"Synchronization"}]\n',
    );
    expect(write([{ type: 'synchronization', binding: pods }])).toBe(
      '[{"binding":"pods","objects":[],"type":"Synchronization"}]\n',
    );
  });

  it('writes an event with the object of its time, byte for byte', () => {
    const pods = kubernetesBinding('pods');
    const item = pod('a', { object: bytes('{ "html": "<b>", "big": 12345678901234567890, "é": 1 }') });

    expect(write([{ type: 'event', binding: pods, watchEvent: 'Modified', item }], [pods])).toBe(
      '[{"binding":"pods","object":{ "html": "<b>", "big": 12345678901234567890, "é": 1 },' +
        '"type":"Event","watchEvent":"Modified"}]\n',
    );
  });

  describe('the fields of an item', () => {
    const full = pod('a', { filterResult: '{"x":"<1>"}' });
    const object = '"object":{"kind":"Pod","metadata":{"name":"a"}}';

    it.each<[string, Partial<KubernetesBinding>, SnapshotItem, string]>([
      ['object without a filter', {}, full, object],
      ['both with a filter', { filter }, full, `"filterResult":{"x":"<1>"},${object}`],
      [
        'filterResult alone without full objects',
        { filter, keepFullObjectsInMemory: false },
        full,
        '"filterResult":{"x":"<1>"}',
      ],
      ['nothing without either', { keepFullObjectsInMemory: false }, full, ''],
      ['null without a result', { filter, keepFullObjectsInMemory: false }, pod('a'), '"filterResult":null'],
      [
        'the reason beside null when the filter failed',
        { filter },
        pod('a', { filterResult: 'null', filterError: 'cannot index <number>' }),
        `"filterError":"cannot index \\u003cnumber\\u003e","filterResult":null,${object}`,
      ],
    ])('are %s', (_law, fields, item, members) => {
      const pods = kubernetesBinding('pods', fields);
      const separated = members === '' ? '' : `,${members}`;

      expect(write([{ type: 'event', binding: pods, watchEvent: 'Added', item }], [pods])).toBe(
        `[{"binding":"pods"${separated},"type":"Event","watchEvent":"Added"}]\n`,
      );
      expect(write([{ type: 'synchronization', binding: pods }], [pods], () => [item])).toBe(
        `[{"binding":"pods","objects":[{${members}}],"type":"Synchronization"}]\n`,
      );
    });
  });

  describe('snapshots', () => {
    const pods = kubernetesBinding('pods', { includeSnapshotsFrom: ['pods'] });
    const nodes = kubernetesBinding('nodes', { filter, keepFullObjectsInMemory: false });
    const tick: Trigger = tickOf(scheduleBinding('tick', { includeSnapshotsFrom: ['pods', 'nodes'] }));
    const read: SnapshotReader = (binding) => (binding === nodes ? [pod('n', { filterResult: '1' })] : []);

    it('have an array for each name, in the order of the names', () => {
      expect(write([tick], [pods, nodes], read)).toBe(
        '[{"attempt":1,"binding":"tick","reason":"tick","runId":"run-1","scheduledAt":"2026-01-01T00:00:00Z",' +
          '"snapshots":{"nodes":[{"filterResult":1}],"pods":[]},"type":"Schedule"}]\n',
      );
    });

    it('go with events and Synchronizations too', () => {
      const event: Trigger = { type: 'event', binding: pods, watchEvent: 'Deleted', item: pod('a') };

      expect(JSON.parse(write([event, { type: 'synchronization', binding: pods }], [pods]))).toEqual([
        {
          binding: 'pods',
          type: 'Event',
          watchEvent: 'Deleted',
          object: { kind: 'Pod', metadata: { name: 'a' } },
          snapshots: { pods: [] },
        },
        { binding: 'pods', type: 'Synchronization', objects: [], snapshots: { pods: [] } },
      ]);
    });

    it('are read once a run, so that all contexts agree', () => {
      let reads = 0;
      const growing = (): Snapshot => {
        reads += 1;
        return Array.from({ length: reads }, (_, index) => pod(`p${index}`));
      };

      const [first, second] = JSON.parse(write([tick, tick], [pods], growing));

      expect(reads).toBe(1);
      expect(first).toEqual(second);
    });

    it('are given to a warm hook once, in the first context that asks for them', () => {
      const event: Trigger = { type: 'event', binding: pods, watchEvent: 'Deleted', item: pod('a') };
      const hook = { ...hookWith('hook', [pods, nodes]), type: 'warm' } as const;

      const chunks = writeContexts({ hook, triggers: [event, tick, event] }, read);

      expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual([
        expect.objectContaining({ type: 'Event', snapshots: { pods: [] } }),
        expect.objectContaining({ type: 'Schedule', snapshots: { nodes: [{ filterResult: 1 }] } }),
        expect.not.objectContaining({ snapshots: expect.anything() }),
      ]);
    });

    it('hold the objects of all bindings of a name', () => {
      const twins = [
        kubernetesBinding('kubernetes'),
        kubernetesBinding('kubernetes', { keepFullObjectsInMemory: false }),
      ];
      const binding = scheduleBinding('tick', { group: 'g', includeSnapshotsFrom: ['kubernetes'] });

      expect(JSON.parse(write([tickOf(binding)], twins, () => [pod('a')]))).toMatchObject([
        { snapshots: { kubernetes: [{ object: { kind: 'Pod' } }, {}] } },
      ]);
    });
  });

  describe('a group', () => {
    const pods = kubernetesBinding('pods', { group: 'g', includeSnapshotsFrom: ['pods'] });
    const nodes = kubernetesBinding('nodes', { group: 'g', includeSnapshotsFrom: ['pods'] });
    const tick = scheduleBinding('tick', { group: 'g' });

    it.each<[string, Trigger, string]>([
      ['an event', { type: 'event', binding: pods, watchEvent: 'Added', item: pod('a') }, ',"snapshots":{"pods":[]}'],
      ['a Synchronization', { type: 'synchronization', binding: pods }, ',"snapshots":{"pods":[]}'],
      ['a schedule', tickOf(tick), ''],
    ])('turns %s into a Group context', (_law, trigger, snapshots) => {
      const name = trigger.type === 'schedule' ? 'tick' : 'pods';

      expect(write([trigger], [pods])).toBe(`[{"binding":"${name}","groupName":"g"${snapshots},"type":"Group"}]\n`);
    });

    it('has one context for adjacent triggers, called after the last', () => {
      const contexts = JSON.parse(
        write(
          [
            { type: 'synchronization', binding: pods },
            { type: 'synchronization', binding: nodes },
            tickOf(scheduleBinding('alone')),
            tickOf(tick),
          ],
          [pods, nodes],
        ),
      );

      expect(contexts).toEqual([
        { binding: 'nodes', type: 'Group', groupName: 'g', snapshots: { pods: [] } },
        expect.objectContaining({ binding: 'alone', type: 'Schedule' }),
        { binding: 'tick', type: 'Group', groupName: 'g' },
      ]);
    });
  });
});
