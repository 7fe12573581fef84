import type { Json } from './api.ts';

/** A kind that the writers write, and the hook that watches it. */
export interface SoakKind {
  readonly hook: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  /** The part of an object that changes. */
  content(counter: number): Json;
}

/** The namespaces of the writers. */
export const NAMESPACES: readonly string[] = ['soak-0', 'soak-1', 'soak-2'];
/** The namespace of the ConfigMaps that a hook writes for each Widget. */
export const MIRROR_NAMESPACE = 'soak-mirrors';

export const KINDS: readonly SoakKind[] = [
  {
    hook: 'config-maps.sh',
    kind: 'ConfigMap',
    apiVersion: 'v1',
    plural: 'configmaps',
    content: (counter) => ({ data: { counter: String(counter), text: 'soak '.repeat(20) } }),
  },
  {
    hook: 'secrets.sh',
    kind: 'Secret',
    apiVersion: 'v1',
    plural: 'secrets',
    content: (counter) => ({ stringData: { counter: String(counter) } }),
  },
  {
    hook: 'widgets.ts',
    kind: 'Widget',
    apiVersion: 'soak.example.com/v1',
    plural: 'widgets',
    content: (counter) => ({ spec: { counter } }),
  },
];

/** The path of a collection, or of one object in it. */
export function pathOf({ apiVersion, plural }: SoakKind, namespace: string, name?: string): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${base}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
}

/** The definition of the custom kind. */
export const WIDGET_DEFINITION: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.soak.example.com' },
  spec: {
    group: 'soak.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { counter: { type: 'integer' } } } },
          },
        },
      },
    ],
  },
};
