const text = { type: 'string' };

/** A CustomResourceDefinition of WebSites with a free spec; without `status` it has no status subresource. */
export function webSiteDefinition(group: string, hasStatus = true) {
  const conditions = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: { type: 'object', required: ['type'], properties: { type: text }, ...ANYTHING },
  };
  const spec = { type: 'object', ...ANYTHING };
  const status = { type: 'object', properties: { conditions }, ...ANYTHING };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `websites.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'websites', singular: 'website', kind: 'WebSite' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
          ...(hasStatus && { subresources: { status: {} } }),
        },
      ],
    },
  };
}

const ANYTHING = { 'x-kubernetes-preserve-unknown-fields': true };
