import { appendFileSync } from 'node:fs';
import { reconcile } from 'hooklet';

// Fails for each parent that says so; each run of another one appends the moment it began to `$BENCH_OUT`.
interface Parent {
  readonly spec: { readonly fails?: boolean };
}

export default reconcile<Parent>(
  {
    name: 'parents',
    apiVersion: 'bench.example.com/v1',
    kind: 'Parent',
    namespace: { nameSelector: { matchNames: [process.env['BENCH_NAMESPACE'] ?? ''] } },
    retry: { backoff: { first: '1s', factor: 1, max: '1s' } },
  },
  ({ object }) => {
    if (object.spec.fails === true) throw new Error('it always fails');
    appendFileSync(process.env['BENCH_OUT'] ?? '', `${performance.timeOrigin + performance.now()}\n`);
  },
);
