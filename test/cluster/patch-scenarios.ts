import type { PatchType } from '@hooklet/sandbox/conformance';

/** One request in the life of an object. */
export type Step =
  /** A creation where the server adds more to this kind than the sandbox predicts. */
  | { readonly type: 'given'; readonly by?: string; readonly fields: Fields }
  | { readonly type: 'create'; readonly by?: string; readonly fields: Fields }
  | { readonly type: 'put'; readonly by?: string; readonly change: (object: Fields) => Fields }
  | {
      readonly type: PatchType;
      readonly by?: string;
      readonly patch: unknown;
      readonly force?: boolean;
      readonly subresource?: 'status';
    };

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The life of one object. */
export interface Scenario {
  readonly name: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly steps: readonly Step[];
}

const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };
const POD_TEMPLATE = { group: '', version: 'v1', kind: 'PodTemplate' };
const SERVICE = { group: '', version: 'v1', kind: 'Service' };

/** The kind of the scenarios about custom resources, and its schema. */
export const CUSTOM = { group: 'patch.example.com', version: 'v1', kind: 'Custom' };

const text = { type: 'string' };

export const CUSTOM_SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        flag: { type: 'boolean', default: true },
        list: { type: 'array', items: text },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, note: text },
          },
        },
        map: { type: 'object', additionalProperties: { type: 'integer' } },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        nested: { type: 'object', default: {}, properties: { x: { type: 'string', default: 'dx' } } },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: text,
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: { type: 'object', required: ['type'], properties: { type: text, status: text } },
        },
      },
    },
  },
};

// The garbage collector deletes dependents of an owner that does not exist, but it does not know this kind.
const owner = (uid: string): Fields => ({ apiVersion: 'none.example.com/v1', kind: 'None', name: uid, uid });

const podSpec = {
  containers: [
    {
      name: 'c',
      image: 'i',
      ports: [{ containerPort: 80 }],
      env: [
        { name: 'E', value: '1' },
        { name: 'F', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
    },
  ],
  volumes: [{ name: 'v', emptyDir: {} }],
  tolerations: [{ key: 'k', operator: 'Exists' }],
};

const podTemplate = { template: { metadata: { labels: { a: 'b' } }, spec: podSpec } };

const inPod = (spec: Fields): Fields => ({ template: { spec } });

/** Requests that show the rules of patches; each is made on the real server and computed by the sandbox. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'patches of a config map',
    kind: CONFIG_MAP,
    steps: [
      {
        type: 'create',
        fields: { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' }, finalizers: ['e.com/a'] } },
      },
      { type: 'merge', patch: { data: { a: null, c: '3', d: null } } },
      { type: 'merge', by: 'two', patch: { data: { b: '9' } } },
      { type: 'strategic', by: 'two', patch: { metadata: { finalizers: ['e.com/b'] } } },
      { type: 'strategic', by: 'two', patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['e.com/a'] } } },
      {
        type: 'strategic',
        by: 'two',
        patch: { metadata: { '$setElementOrder/finalizers': ['e.com/c', 'e.com/b'], finalizers: ['e.com/c'] } },
      },
      { type: 'strategic', patch: { data: { $patch: 'replace', z: '1' } } },
      { type: 'strategic', patch: { data: { $retainKeys: ['z', 'y'], y: '1' } } },
      { type: 'strategic', patch: { data: { $retainKeys: ['z'], y: '2' } } },
      { type: 'strategic', patch: { data: { $patch: 'bogus', y: '2' } } },
      { type: 'strategic', patch: { metadata: { ownerReferences: [owner('u1')] } } },
      {
        type: 'strategic',
        patch: { metadata: { ownerReferences: [{ uid: 'u1', controller: true }, owner('u2')] } },
      },
      { type: 'strategic', patch: { metadata: { ownerReferences: [{ $patch: 'delete', uid: 'u1' }] } } },
      { type: 'strategic', patch: { metadata: { ownerReferences: [{ name: 'x' }] } } },
      { type: 'strategic', patch: { metadata: { ownerReferences: [{ $patch: 'merge', uid: 'x' }] } } },
      { type: 'strategic', patch: { metadata: { finalizers: null, ownerReferences: null } } },
      { type: 'json', patch: [{ op: 'add', path: '/data', value: { ab: '1' } }] },
      { type: 'json', patch: [{ op: 'copy', from: '/data/ab', path: '/data/n' }] },
      { type: 'json', patch: [{ op: 'move', from: '/data/ab', path: '/data/m' }] },
      { type: 'json', patch: [{ op: 'test', path: '/data/m', value: '1' }] },
      { type: 'json', patch: [{ op: 'test', path: '/data/m', value: '2' }] },
      { type: 'json', patch: [{ op: 'remove', path: '/data/nope' }] },
      { type: 'json', patch: [{ op: 'replace', path: '/data/nope', value: 'x' }] },
      { type: 'json', patch: [{ op: 'add', path: '/nope/x', value: 'x' }] },
      { type: 'json', patch: [{ op: 'bogus', path: '/data/x', value: 'x' }] },
      { type: 'json', patch: [{ op: 'add', path: '/metadata/finalizers', value: ['e.com/1', 'e.com/2'] }] },
      { type: 'json', patch: [{ op: 'add', path: '/metadata/finalizers/0', value: 'e.com/0' }] },
      { type: 'json', patch: [{ op: 'replace', path: '/metadata/finalizers/-1', value: 'e.com/9' }] },
      { type: 'json', patch: [{ op: 'remove', path: '/metadata/finalizers/7' }] },
      { type: 'json', patch: { op: 'add' } },
      { type: 'json', patch: [{ op: 'remove', path: '/metadata/finalizers' }] },
      { type: 'merge', patch: [1] },
      { type: 'put', change: (object) => ({ ...object, data: { only: '1' } }) },
      { type: 'put', by: 'three', change: (object) => ({ ...object, data: { only: '1', k: 'v' } }) },
    ],
  },
  {
    name: 'appliers of a config map',
    kind: CONFIG_MAP,
    steps: [
      { type: 'apply', by: 'a', patch: { data: { x: '1', y: '2' }, metadata: { labels: { l: '1' } } } },
      { type: 'apply', by: 'a', patch: { data: { x: '1', y: '2' }, metadata: { labels: { l: '1' } } } },
      { type: 'apply', by: 'b', patch: { data: { x: '1', z: '3' } } },
      { type: 'apply', by: 'b', patch: { data: { x: '2', y: '4' } } },
      { type: 'apply', by: 'a', patch: { data: { y: '2' } } },
      { type: 'apply', by: 'b', patch: { data: { z: '3' } } },
      { type: 'apply', by: 'b', force: true, patch: { data: { y: '5' } } },
      { type: 'merge', by: 'm', patch: { data: { y: '6' } } },
      { type: 'apply', by: 'b', patch: { data: { y: '5' } } },
      { type: 'apply', by: 'b', patch: {} },
      { type: 'apply', by: 'c', patch: { metadata: { finalizers: ['e.com/1'], ownerReferences: [owner('u1')] } } },
      { type: 'apply', by: 'd', patch: { metadata: { finalizers: ['e.com/2'], ownerReferences: [owner('u2')] } } },
      { type: 'apply', by: 'd', patch: { metadata: { ownerReferences: [{ ...owner('u1'), name: 'other' }] } } },
      { type: 'apply', by: 'c', patch: { metadata: { finalizers: ['e.com/1', 'e.com/1'] } } },
      { type: 'apply', by: 'c', patch: { data: 5 } },
      { type: 'apply', by: 'c', patch: { nope: { k: 'w' } } },
      { type: 'apply', by: 'c', patch: { metadata: { managedFields: [] } } },
      { type: 'apply', by: 'c', patch: { kind: 'Secret' } },
      { type: 'apply', by: 'c', patch: {} },
      { type: 'apply', by: 'd', patch: {} },
    ],
  },
  {
    name: 'an object that nobody tracks',
    kind: CONFIG_MAP,
    steps: [
      { type: 'create', fields: { data: { a: '1' } } },
      {
        type: 'put',
        change: (object) => ({ ...object, metadata: { ...Object(object['metadata']), managedFields: [] } }),
      },
      { type: 'merge', patch: { data: { b: '1' } } },
      { type: 'apply', by: 'a', patch: { data: { b: '1' } } },
      { type: 'apply', by: 'a', patch: { data: { b: '2' } } },
      { type: 'apply', by: 'a', force: true, patch: { data: { b: '2' } } },
    ],
  },
  {
    name: 'patches of a pod template',
    kind: POD_TEMPLATE,
    steps: [
      { type: 'create', fields: podTemplate },
      { type: 'strategic', patch: inPod({ containers: [{ name: 'c', image: 'j' }] }) },
      {
        type: 'strategic',
        by: 'two',
        patch: inPod({
          containers: [
            {
              name: 'c',
              env: [
                { name: 'E', value: '2' },
                { name: 'F', $patch: 'delete' },
              ],
            },
          ],
        }),
      },
      {
        type: 'strategic',
        patch: inPod({
          volumes: [
            {
              name: 'v',
              $retainKeys: ['name', 'configMap'],
              emptyDir: null,
              configMap: { name: 'x', defaultMode: 420 },
            },
          ],
        }),
      },
      { type: 'strategic', patch: inPod({ tolerations: [{ key: 'z', operator: 'Exists' }] }) },
      { type: 'merge', by: 'three', patch: inPod({ nodeSelector: { a: 'b' } }) },
    ],
  },
  {
    name: 'appliers of a pod template',
    kind: POD_TEMPLATE,
    steps: [
      { type: 'create', by: 'kubectl-create', fields: podTemplate },
      { type: 'apply', by: 'a', patch: inPod({ containers: [{ name: 'c', image: 'z' }] }) },
      { type: 'apply', by: 'a', force: true, patch: inPod({ containers: [{ name: 'c', image: 'z' }] }) },
      {
        type: 'apply',
        by: 'b',
        patch: inPod({ containers: [{ name: 'c', env: [{ name: 'E', value: '1' }], ports: [{ containerPort: 80 }] }] }),
      },
      { type: 'apply', by: 'b', patch: inPod({ nodeSelector: { c: 'd' } }) },
      {
        type: 'apply',
        by: 'b',
        patch: inPod({
          containers: [
            { name: 'c', image: 'q' },
            { name: 'c', image: 'q' },
          ],
        }),
      },
      { type: 'apply', by: 'b', patch: {} },
    ],
  },
  {
    name: 'ports of a service',
    kind: SERVICE,
    steps: [
      { type: 'given', fields: { spec: { clusterIP: 'None', ports: [{ name: 'a', port: 80 }] } } },
      { type: 'strategic', patch: { spec: { ports: [{ port: 82, name: 'c', protocol: 'TCP', targetPort: 82 }] } } },
      { type: 'strategic', patch: { spec: { ports: [{ port: 80, targetPort: 8080 }] } } },
      { type: 'strategic', patch: { spec: { ports: [{ port: 80, $patch: 'delete' }] } } },
      {
        type: 'strategic',
        patch: { spec: { ports: [{ port: 90, name: 'n', protocol: 'TCP', targetPort: 90 }, { $patch: 'replace' }] } },
      },
    ],
  },
  {
    name: 'a custom resource',
    kind: CUSTOM,
    steps: [
      {
        type: 'create',
        fields: {
          spec: {
            size: 2,
            tags: ['a', 'b'],
            ports: [{ port: 1, note: 'x' }, { port: 2 }],
            map: { q: 1 },
            any: { deep: { a: [1], b: {} } },
            list: ['l'],
            whole: { a: '1' },
          },
        },
      },
      { type: 'strategic', patch: { spec: { size: 4 } } },
      { type: 'merge', by: 'two', patch: { spec: { any: { deep: { c: 1 } }, map: { r: 2 } } } },
      { type: 'merge', by: 'two', patch: { spec: { whole: { b: '2' } } } },
      {
        type: 'apply',
        by: 'a',
        patch: { spec: { tags: ['c', 'a'], ports: [{ port: 3 }, { port: 1, protocol: 'UDP', note: 'u' }] } },
      },
      { type: 'apply', by: 'a', patch: { spec: { tags: ['a'], ports: [{ port: 1, protocol: 'UDP' }] } } },
      { type: 'apply', by: 'b', patch: { spec: { list: ['z'], map: { q: 2 }, any: { deep: { a: [2] } } } } },
      {
        type: 'apply',
        by: 'b',
        force: true,
        patch: { spec: { list: ['z'], map: { q: 2 }, any: { deep: { a: [2] } } } },
      },
      { type: 'apply', by: 'b', patch: { spec: { whole: { a: '2' } } } },
      { type: 'apply', by: 'b', patch: { spec: { unknown: 1 } } },
      { type: 'apply', by: 'b', patch: { spec: { ports: 5 } } },
      { type: 'apply', by: 'b', patch: { spec: { size: 'x' } } },
      { type: 'apply', by: 'b', patch: { spec: { flag: 5 } } },
      { type: 'apply', by: 'b', patch: { spec: { tags: [5] } } },
      { type: 'apply', by: 'b', patch: { spec: { tags: ['x', 'x'] } } },
      {
        type: 'apply',
        subresource: 'status',
        by: 's',
        patch: { spec: { size: 8 }, status: { phase: 'P', conditions: [{ type: 'A', status: 'T' }] } },
      },
      { type: 'merge', subresource: 'status', by: 's', patch: { status: { phase: 'Q' } } },
      { type: 'apply', by: 'b', patch: { spec: {} } },
      { type: 'apply', by: 'b', patch: {} },
    ],
  },
];
