// Keeps a ConfigMap "services" with the names of all Services of the namespace.
import { defineHook, kubernetes } from 'hooklet';

const namespace = process.env['POD_NAMESPACE'] ?? 'default';

export default defineHook({
  bindings: {
    // The type is that of the filter's results: `snapshots.services` has it too.
    services: kubernetes<string>({
      apiVersion: 'v1',
      kind: 'Service',
      namespace: { nameSelector: { matchNames: [namespace] } },
      // Only this is kept of each Service, and only a change of it runs the hook.
      jqFilter: '.metadata.name',
      // Of several events that wait one run is made, which sees them all in its snapshot.
      group: 'services',
    }),
  },
  run({ snapshots, patch, log }) {
    // The snapshot has all Services, so it does not matter which of them changed, or how often.
    const names = snapshots.services.filter((name) => name !== null).toSorted();
    patch.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'services', namespace },
      data: { count: String(names.length), names: names.join('\n') },
    });
    log.info('services', { names });
  },
});
