import type { JsonObject } from '@hooklet/sandbox';

/** A small definition of the routes of the Gateway API. */
export const ROUTES: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'httproutes.gateway.networking.k8s.io' },
  spec: {
    group: 'gateway.networking.k8s.io',
    scope: 'Namespaced',
    names: { plural: 'httproutes', singular: 'httproute', kind: 'HTTPRoute' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
