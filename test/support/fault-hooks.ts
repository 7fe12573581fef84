import { recordingHook } from './operator-rig.ts';

/** A hook with its own queue that runs `body` when the ConfigMap with its name changes. */
export function queuedHook(name: string, body: string, settings: object = {}): Readonly<Record<string, string>> {
  return { [`${name}.sh`]: recordingHook({ configVersion: 'v1', kubernetes: [bindingTo(name)], settings }, body) };
}

/** A binding to the ConfigMaps of one name that does not run on Synchronization, which would disturb other hooks. */
export function bindingTo(name: string) {
  return {
    name: 'one',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    queue: name,
    executeHookOnSynchronization: false,
    nameSelector: { matchNames: [name] },
  };
}

/** A body that does something only in the first run. */
export function once(name: string, body: string): string {
  return `if ! [ -e "$OUT/${name}" ]; then : > "$OUT/${name}"; ${body}; fi`;
}

/** A line for the patch file, for a ConfigMap in the namespace of copies. */
export function patchFor(name: string): string {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'copies' } };
  return JSON.stringify({ operation: 'CreateOrUpdate', object });
}
