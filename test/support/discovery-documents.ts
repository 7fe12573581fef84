/** The two responses of aggregated discovery for a small cluster. */
export const AGGREGATED_CORE = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  items: [
    {
      metadata: { creationTimestamp: null },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'configmaps',
              responseKind: { group: '', version: 'v1', kind: 'ConfigMap' },
              scope: 'Namespaced',
              singularResource: 'configmap',
              verbs: ['create', 'get', 'list', 'watch'],
              shortNames: ['cm'],
            },
            {
              resource: 'events',
              responseKind: { group: '', version: 'v1', kind: 'Event' },
              scope: 'Namespaced',
              singularResource: 'event',
              verbs: ['get', 'list', 'watch'],
              shortNames: ['ev'],
            },
            {
              resource: 'namespaces',
              responseKind: { group: '', version: 'v1', kind: 'Namespace' },
              scope: 'Cluster',
              singularResource: 'namespace',
              verbs: ['get', 'list', 'watch'],
              shortNames: ['ns'],
              subresources: [
                {
                  subresource: 'finalize',
                  responseKind: { group: '', version: 'v1', kind: 'Namespace' },
                  verbs: ['update'],
                },
                {
                  subresource: 'status',
                  responseKind: { group: '', version: 'v1', kind: 'Namespace' },
                  verbs: ['get'],
                },
              ],
            },
          ],
        },
      ],
    },
  ],
};

export const AGGREGATED_GROUPS = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  items: [
    {
      metadata: { name: 'apps' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'deployments',
              responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
              scope: 'Namespaced',
              singularResource: 'deployment',
              verbs: ['get', 'list', 'watch'],
              shortNames: ['deploy'],
              subresources: [
                { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
              ],
            },
          ],
        },
      ],
    },
    {
      metadata: { name: 'events.k8s.io' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'events',
              responseKind: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
              scope: 'Namespaced',
              verbs: ['get', 'list', 'watch'],
            },
          ],
        },
      ],
    },
    {
      metadata: { name: 'example.com' },
      versions: [
        { version: 'v2', resources: [crd('v2', 'widgets', 'Widget')] },
        {
          version: 'v1',
          resources: [crd('v1', 'widgets', 'Widget'), crd('v1', 'gadgets', 'Gadget'), { resource: 'only' }],
        },
      ],
    },
    { metadata: { name: 'empty.example.com' } },
  ],
};

function crd(version: string, resource: string, kind: string): object {
  return { resource, responseKind: { group: 'example.com', version, kind }, scope: 'Namespaced', verbs: ['list'] };
}

/** The responses of a server that supports only the older form, by path. */
export const LEGACY: Readonly<Record<string, unknown>> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [
      {
        name: 'apps',
        versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
      },
      {
        name: 'example.com',
        versions: [
          { groupVersion: 'example.com/v1', version: 'v1' },
          { groupVersion: 'example.com/v2', version: 'v2' },
        ],
        preferredVersion: { groupVersion: 'example.com/v2', version: 'v2' },
      },
      { name: 'metrics.k8s.io', versions: [{ groupVersion: 'metrics.k8s.io/v1beta1', version: 'v1beta1' }] },
    ],
  },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [
      {
        name: 'configmaps',
        singularName: 'configmap',
        namespaced: true,
        kind: 'ConfigMap',
        verbs: ['list'],
        shortNames: ['cm'],
      },
      {
        name: 'namespaces',
        singularName: 'namespace',
        namespaced: false,
        kind: 'Namespace',
        verbs: ['list'],
        shortNames: ['ns'],
      },
      { name: 'namespaces/status', singularName: '', namespaced: false, kind: 'Namespace', verbs: ['get'] },
      { name: 'namespaces/finalize', singularName: '', namespaced: false, kind: 'Namespace', verbs: ['update'] },
    ],
  },
  '/apis/apps/v1': {
    kind: 'APIResourceList',
    resources: [
      { name: 'deployments', singularName: 'deployment', namespaced: true, kind: 'Deployment', verbs: ['list'] },
      {
        name: 'deployments/scale',
        singularName: '',
        namespaced: true,
        kind: 'Scale',
        group: 'autoscaling',
        verbs: ['get'],
      },
    ],
  },
  '/apis/example.com/v1': {
    kind: 'APIResourceList',
    resources: [
      { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs: ['list'] },
      { name: 'gadgets', singularName: '', namespaced: true, kind: 'Gadget', verbs: ['list'] },
    ],
  },
  '/apis/example.com/v2': {
    kind: 'APIResourceList',
    resources: [{ name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget', verbs: ['list'] }],
  },
};
