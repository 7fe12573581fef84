// Keeps a ConfigMap with the images that the Deployments of a namespace use.
import { defineHook, kubernetes } from 'hooklet';
import { describeImages, type Workload } from './lib/images.ts';

const namespace = process.env['POD_NAMESPACE'] ?? 'default';

export default defineHook({
  bindings: {
    // The type is that of the filter's results: `snapshots.deployments` has it too.
    deployments: kubernetes<Workload>({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: { nameSelector: { matchNames: [namespace] } },
      jqFilter: '{name: .metadata.name, images: [.spec.template.spec.containers[].image]}',
      queue: 'images',
    }),
  },
  settings: { timeout: '10s' },
  run({ contexts, snapshots, patch, metric, log }) {
    // A result is null when the filter failed on that object.
    const workloads = snapshots.deployments.filter((workload) => workload !== null);
    const data = describeImages(workloads);
    patch.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'images', namespace }, data });
    metric.set('example_images', Object.keys(data).length);
    log.info('images written', { images: Object.keys(data).length, reasons: contexts.length });
  },
});
