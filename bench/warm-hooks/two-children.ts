import { reconcile } from 'hooklet';

// Makes a ConfigMap and a Secret of each parent of a namespace.
interface Parent {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly text: string };
}

export default reconcile<Parent>(
  {
    name: 'parents',
    apiVersion: 'bench.example.com/v1',
    kind: 'Parent',
    namespace: { nameSelector: { matchNames: [process.env['BENCH_NAMESPACE'] ?? ''] } },
    owns: [
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { apiVersion: 'v1', kind: 'Secret' },
    ],
  },
  ({ object }) => {
    const metadata = { name: object.metadata.name, labels: { bench: 'child' } };
    const { text } = object.spec;
    return {
      children: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } },
        { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { text } },
      ],
    };
  },
);
