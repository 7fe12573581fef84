import { until } from './figures.ts';
import type { BenchStage } from './stage.ts';

const GROUP_PATH = '/apis/bench.example.com/v1';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AT_ONCE = 16;

/** The collection of the parents of a namespace. */
export function parentsPath(namespace: string): string {
  return `${GROUP_PATH}/namespaces/${namespace}/parents`;
}

/** Defines the kind of the parents, which has a status, and waits until the API server serves it. */
export async function defineParents({ api }: Pick<BenchStage, 'api'>): Promise<void> {
  await api.call('POST', DEFINITIONS, DEFINITION);
  await until(async () => ((await api.call('GET', parentsPath('default'))).status === 200 ? true : undefined), {
    what: 'the kind Parent is not served',
    everyMs: 50,
  });
}

/** Creates a namespace with this many parents; the first of them has the index 0. */
export async function createParents(
  { api }: Pick<BenchStage, 'api'>,
  namespace: string,
  specs: Iterable<Readonly<Record<string, unknown>>>,
): Promise<void> {
  await api.call('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const left = [...specs].entries();
  const work = async (): Promise<void> => {
    for (const [index, spec] of left) {
      const object = { ...PARENT, metadata: { name: parentName(index) }, spec };
      const { status, body } = await api.call('POST', parentsPath(namespace), object);
      if (status !== 201) throw new Error(`${parentName(index)} is refused: ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Changes the text of a parent. */
export async function changeParent(
  { api }: Pick<BenchStage, 'api'>,
  { namespace, index, text }: { readonly namespace: string; readonly index: number; readonly text: string },
): Promise<void> {
  const path = `${parentsPath(namespace)}/${parentName(index)}`;
  const { status, body } = await api.call('PATCH', path, { spec: { text } }, 'application/merge-patch+json');
  if (status !== 200) throw new Error(`the change of ${path} is refused: ${JSON.stringify(body)}`);
}

/** Names that sort like the numbers. */
export function parentName(index: number): string {
  return `parent-${String(index).padStart(6, '0')}`;
}

const PARENT = { apiVersion: 'bench.example.com/v1', kind: 'Parent' };

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'parents.bench.example.com' },
  spec: {
    group: 'bench.example.com',
    scope: 'Namespaced',
    names: { plural: 'parents', singular: 'parent', kind: 'Parent', listKind: 'ParentList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { text: { type: 'string' }, fails: { type: 'boolean' } } },
              status: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  conditions: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                    items: {
                      type: 'object',
                      required: ['type'],
                      'x-kubernetes-preserve-unknown-fields': true,
                      properties: { type: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};
