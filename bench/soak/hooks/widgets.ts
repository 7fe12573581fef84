// Records the contexts of each run, and writes a ConfigMap for each Widget with the version of it that was seen last.
import { renameSync, writeFileSync } from 'node:fs';
import { defineHook, kubernetes, type KubernetesObject } from 'hooklet';

const out = process.env['SOAK_OUT'] ?? '.';
const generation = process.env['SOAK_GENERATION'] ?? '0000';
let runs = 0;

export default defineHook({
  bindings: {
    widgets: kubernetes({ apiVersion: 'soak.example.com/v1', kind: 'Widget', queue: 'widgets' }),
  },
  settings: { timeout: '20s' },
  run({ contexts, patch }) {
    // Microseconds, as bash writes them; the last three digits keep runs of one millisecond apart.
    const micros = Date.now() * 1000 + (runs++ % 1000);
    const record = `${out}/widgets.ts/${generation}-${(micros / 1_000_000).toFixed(6)}`;
    writeFileSync(`${record}.part`, JSON.stringify(contexts));
    renameSync(`${record}.part`, `${record}.json`);
    for (const context of contexts) {
      if (context.type === 'Synchronization')
        for (const widget of context.objects) patch.createOrUpdate(mirror(widget));
      if (context.type === 'Event' && context.watchEvent !== 'Deleted') patch.createOrUpdate(mirror(context.object));
    }
  },
});

function mirror({ metadata }: KubernetesObject) {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${namespace}.${name}`, namespace: 'soak-mirrors' },
    data: { uid, resourceVersion },
  };
}
