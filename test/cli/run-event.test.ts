import { describe, expect, it } from 'vitest';
import { makeContexts } from '../../src/cli/run/event.ts';
import { givenObjects } from '../../src/cli/run/object.ts';
import { UsageError } from '../../src/errors.ts';
import type { Hook } from '../../src/hook/binding.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { reconcileMark } from '../../src/hook/reconcile-mark.ts';

const NOW_MS = Date.parse('2026-05-01T10:00:00.500Z');

function hookOf(config: object): Hook {
  const parsed = parseConfig(JSON.stringify({ configVersion: 'v1', ...config }), () => undefined);
  if (parsed.type === 'invalid') throw new Error(JSON.stringify(parsed.issues));
  return { name: 'a.sh', path: '/hooks/a.sh', type: 'process', bindings: parsed.bindings, settings: {} };
}

interface Asked {
  readonly event: string;
  readonly binding?: string;
  readonly objects?: readonly unknown[];
  readonly around?: {
    readonly owned?: readonly unknown[];
    readonly watched?: Readonly<Record<string, readonly unknown[]>>;
  };
}

function make(config: object, { objects = [], around: { owned = [], watched = {} } = {}, ...asked }: Asked) {
  const entries = Object.entries(watched).map(([name, given]) => [name, givenObjects(given)] as const);
  const around = { owned: givenObjects(owned), watched: new Map(entries) };
  const request = { ...asked, objects: givenObjects(objects), around };
  const { context, warnings } = makeContexts(hookOf(config), request, NOW_MS);
  const contexts: unknown = JSON.parse(context);
  return { contexts, warnings };
}

const object = (kind: string, name: string, more: object = {}, apiVersion = 'v1') => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default', ...more },
});

const POD = object('Pod', 'web', { labels: { app: 'web' } });
const PODS = { name: 'pods', kind: 'Pod', jqFilter: '.metadata.labels' };

const NOTES = {
  name: 'notes',
  apiVersion: 'example.com/v1',
  kind: 'Note',
  owns: [{ apiVersion: 'v1', kind: 'ConfigMap', jqFilter: '.data' }],
  watches: [{ name: 'content', apiVersion: 'v1', kind: 'Secret', for: '.metadata.labels.note' }],
};

describe('makeContexts of a Reconcile', () => {
  const note = object('Note', 'a', { uid: 'u' }, 'example.com/v1');
  const marks = { 'hooklet.dev/reconcile': reconcileMark(NOTES), 'hooklet.dev/parent-uid': 'u' };
  const child = { ...object('ConfigMap', 'c', { labels: marks }), data: { a: 'b' } };
  const foreign = object('ConfigMap', 'd', { labels: { ...marks, 'hooklet.dev/parent-uid': 'v' } });
  const secret = object('Secret', 's', { labels: { note: 'a' } });

  it('shows the children of the object by their marks, what is watched for it, and snapshots', () => {
    const kubernetes = [{ name: 'pods', kind: 'Pod', executeHookOnEvent: [] }];
    const config = { kubernetes, reconcile: [{ ...NOTES, includeSnapshotsFrom: ['pods'] }] };
    const objects = [note, child, foreign, secret, object('Secret', 'other'), POD];

    expect(make(config, { event: 'reconcile', objects })).toEqual({
      contexts: [
        {
          attempt: 1,
          binding: 'notes',
          finalizing: false,
          object: note,
          owned: { ConfigMap: [{ filterResult: { a: 'b' }, object: child }] },
          reason: 'changed',
          runId: '',
          snapshots: { pods: [{ object: POD }] },
          state: null,
          type: 'Reconcile',
          watched: { content: [{ object: secret }] },
        },
      ],
      warnings: ['watched content: v1 Secret default/other is left out by for'],
    });
  });

  it('is of an object that is being deleted when the binding finalizes', () => {
    const objects = [object('Note', 'a', { deletionTimestamp: 'now' }, 'example.com/v1')];

    expect(make({ reconcile: [{ ...NOTES, finalize: true }] }, { event: 'Reconcile', objects }).contexts).toMatchObject(
      [{ finalizing: true, reason: 'deleted' }],
    );
    expect(() => make({ reconcile: [NOTES] }, { event: 'Reconcile', objects })).toThrow('finalize: false');
  });

  it.each([
    ['no object', {}, 'a Reconcile needs the object'],
    ['another kind', { objects: [POD] }, 'does not reconcile v1 Pod default/web: notes is for example.com/v1 Note'],
    [
      'an excluded object',
      { objects: [object('Note', 'b', {}, 'example.com/v1')] },
      'notes excludes it by nameSelector',
    ],
    [
      'a foreign child',
      { objects: [note], around: { owned: [POD] } },
      '--owned: v1 Pod default/web: owns of notes has',
    ],
    ['an unknown entry', { objects: [note], around: { watched: { x: [POD] } } }, '--watched: got "x"'],
  ])('refuses %s', (_, asked, message) => {
    const reconcile = [{ ...NOTES, nameSelector: { matchNames: ['a'] } }];
    expect(() => make({ reconcile }, { event: 'Reconcile', ...asked })).toThrow(message);
  });

  it('takes objects of a file without uid for children, and warns about those of others', () => {
    const given = object('ConfigMap', 'e');
    const other = object('ConfigMap', 'f', { uid: 'w' });
    const { contexts, warnings } = make(
      { reconcile: [NOTES] },
      { event: 'Reconcile', objects: [note], around: { owned: [given, other] } },
    );

    expect(contexts).toMatchObject([{ owned: { ConfigMap: [{ object: given }] } }]);
    expect(warnings).toEqual([expect.stringMatching(/^v1 ConfigMap default\/f is no child of example\.com\/v1 Note/)]);
  });
});

describe('makeContexts', () => {
  it.each(['Added', 'Modified', 'Deleted'])(
    'makes an event %s with the object and what the filter makes of it',
    (event) => {
      expect(make({ kubernetes: [PODS] }, { event, objects: [POD] })).toEqual({
        contexts: [{ binding: 'pods', type: 'Event', watchEvent: event, object: POD, filterResult: { app: 'web' } }],
        warnings: [],
      });
    },
  );

  it.each([
    ['po', undefined, POD],
    ['PODS', 'v1', POD],
    ['deployments.apps', undefined, object('Deployment', 'web', {}, 'apps/v1')],
    ['CronTab', 'example.com/v1', object('CronTab', 'web', {}, 'example.com/v1')],
    ['crontabs', undefined, object('CronTab', 'web', {}, 'example.com/v1')],
    ['policies.example.com', undefined, object('Policy', 'web', {}, 'example.com/v1')],
  ])('chooses the binding by the kind, as %s of %s', (kind, apiVersion, given) => {
    const kubernetes = [
      { name: 'other', kind: 'ConfigMap' },
      { name: 'mine', kind, apiVersion },
    ];

    expect(make({ kubernetes }, { event: 'Added', objects: [given] }).contexts).toMatchObject([{ binding: 'mine' }]);
  });

  it('chooses among several bindings of a kind by their selectors, or by --binding', () => {
    const kubernetes = [
      { name: 'by-name', kind: 'Pod', nameSelector: { matchNames: ['db'] } },
      { name: 'by-label', kind: 'Pod', labelSelector: { matchLabels: { app: 'web' } } },
    ];
    const both = [...kubernetes, { name: 'all', kind: 'Pod' }];

    expect(make({ kubernetes }, { event: 'Added', objects: [POD] }).contexts).toMatchObject([{ binding: 'by-label' }]);
    expect(make({ kubernetes: both }, { event: 'Added', binding: 'all', objects: [POD] }).contexts).toMatchObject([
      { binding: 'all' },
    ]);
    expect(() => make({ kubernetes: both }, { event: 'Added', objects: [POD] })).toThrow(
      'several bindings of a.sh watch v1 Pod default/web: by-label, all; choose one with --binding',
    );
  });

  it('makes a Synchronization of all objects the binding watches, in order', () => {
    const objects = [POD, object('ConfigMap', 'x'), object('Pod', 'db', { labels: { app: 'db' } })];

    expect(make({ kubernetes: [PODS] }, { event: 'synchronization', objects }).contexts).toMatchObject([
      { type: 'Synchronization', objects: [{ filterResult: { app: 'db' } }, { filterResult: { app: 'web' } }] },
    ]);
    expect(make({ kubernetes: [PODS] }, { event: 'Synchronization' }).contexts).toMatchObject([{ objects: [] }]);
  });

  it('makes a Schedule with its snapshots, and an onStartup', () => {
    const schedule = [{ name: 'nightly', crontab: '0 3 * * *', includeSnapshotsFrom: ['pods'] }];
    const config = { onStartup: 1, schedule, kubernetes: [PODS] };

    expect(make(config, { event: 'Schedule', objects: [POD] }).contexts).toMatchObject([
      { binding: 'nightly', type: 'Schedule', snapshots: { pods: [{ filterResult: { app: 'web' } }] } },
    ]);
    expect(make(config, { event: 'onstartup' }).contexts).toEqual([{ binding: 'onStartup' }]);
  });

  it('has the object in the snapshots, but not one that is deleted', () => {
    const kubernetes = [{ ...PODS, includeSnapshotsFrom: ['pods'] }];
    const snapshots = (event: string): unknown => make({ kubernetes }, { event, objects: [POD] }).contexts;

    expect(snapshots('Modified')).toMatchObject([{ snapshots: { pods: [{ object: POD }] } }]);
    expect(snapshots('Deleted')).toMatchObject([{ snapshots: { pods: [] } }]);
  });

  it('gives an object of a namespaced kind without namespace the default one, as kubectl does', () => {
    const given = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };

    expect(make({ kubernetes: [PODS] }, { event: 'Added', objects: [given] }).contexts).toMatchObject([
      { object: { metadata: { name: 'web', namespace: 'default' } } },
    ]);
  });

  it('warns when the filter fails on the object', () => {
    const { contexts, warnings } = make(
      { kubernetes: [{ ...PODS, jqFilter: '.metadata.name + 1' }] },
      { event: 'Added', objects: [POD] },
    );

    expect(contexts).toMatchObject([{ filterResult: null, filterError: expect.stringContaining('cannot be added') }]);
    expect(warnings).toEqual([expect.stringContaining('the filter of pods failed on web: ')]);
  });

  const nightly = { name: 'nightly', crontab: '0 3 * * *' };
  it.each<[string, object, Asked, string]>([
    ['an event that is none', { onStartup: 1 }, { event: 'Adde' }, '--event: got "Adde", did you mean Added?'],
    ['an unlike word', { onStartup: 1 }, { event: 'x' }, 'expected one of Added, Modified, Deleted, Reconcile'],
    ['an event without object', { kubernetes: [PODS] }, { event: 'Added' }, '--event Added needs the object'],
    [
      'a kind the hook does not watch',
      { kubernetes: [PODS] },
      { event: 'Added', objects: [object('ConfigMap', 'x')] },
      'hook a.sh does not watch v1 ConfigMap default/x: pods watches Pod',
    ],
    [
      'an event without any watch',
      { onStartup: 1 },
      { event: 'Added', objects: [POD] },
      'does not watch v1 Pod default/web: it has onStartup onStartup',
    ],
    [
      'an object that a selector leaves out',
      { kubernetes: [{ ...PODS, labelSelector: { matchLabels: { app: 'db' } } }] },
      { event: 'Added', objects: [POD] },
      'pods excludes it by labelSelector',
    ],
    [
      'an event the binding does not run on',
      { kubernetes: [{ ...PODS, executeHookOnEvent: ['Deleted'] }] },
      { event: 'Added', objects: [POD] },
      'hook a.sh does not run on Added of v1 Pod default/web: pods runs on Deleted',
    ],
    [
      'a Synchronization that is switched off',
      { kubernetes: [{ ...PODS, executeHookOnSynchronization: false }] },
      { event: 'Synchronization' },
      'executeHookOnSynchronization: false',
    ],
    [
      'a binding the hook does not have',
      { onStartup: 1, schedule: [nightly] },
      { event: 'Schedule', binding: 'daily' },
      '--binding: got "daily", which a.sh does not have for this: it has onStartup onStartup, schedule nightly',
    ],
    [
      'a binding of another type',
      { kubernetes: [PODS], schedule: [nightly] },
      { event: 'Added', binding: 'nightly', objects: [POD] },
      'got "nightly", which a.sh does not have for this',
    ],
    ['a Schedule that is not there', { onStartup: 1 }, { event: 'Schedule' }, 'does not run on Schedule'],
    [
      'one of several schedules',
      { schedule: [nightly, { ...nightly, name: 'daily' }] },
      { event: 'Schedule' },
      'several bindings of a.sh run on Schedule: nightly, daily; choose one with --binding',
    ],
    [
      'what is no object',
      { kubernetes: [PODS] },
      { event: 'Added', objects: [{ kind: 'Pod' }, 'text'] },
      'object 1 is {"kind":"Pod"}; object 2 is "text"; expected apiVersion, kind and metadata.name',
    ],
  ])('refuses %s', (_what, config, asked, message) => {
    expect(() => make(config, asked)).toThrow(UsageError);
    expect(() => make(config, asked)).toThrow(message);
  });

  it.each<[object, boolean]>([
    [{ nameSelector: { matchNames: ['web', 'db'] } }, true],
    [{ nameSelector: { matchNames: ['db'] } }, false],
    [{ namespace: { nameSelector: { matchNames: ['default'] } } }, true],
    [{ namespace: { nameSelector: { matchNames: ['other'] } } }, false],
    [{ namespace: { labelSelector: { matchLabels: { a: 'b' } } } }, true],
    [{ labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] } }, true],
    [{ labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } }, false],
    [{ labelSelector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] } }, false],
    [{ labelSelector: { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] } }, false],
    [{ fieldSelector: { matchExpressions: [{ field: 'spec.nodeName', operator: '=', value: '' }] } }, true],
    [{ fieldSelector: { matchExpressions: [{ field: 'metadata.name', operator: '!=', value: 'web' }] } }, false],
  ])('heeds the selector %j', (selector, isSeen) => {
    const run = (): unknown => make({ kubernetes: [{ ...PODS, ...selector }] }, { event: 'Added', objects: [POD] });

    if (isSeen) expect(run()).toMatchObject({ contexts: [{ binding: 'pods' }] });
    else expect(run).toThrow(/pods excludes it by (?:name|label|field|namespace\.name)Selector$/);
  });
});
