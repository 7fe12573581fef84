import { at, objectsAt, textAt } from '../json-fields.ts';
import type { Storage } from '../storage.ts';
import type { FindService } from './webhook-endpoint.ts';

/** Returns the https URL of a service's port, or undefined. */
export type ResolveService = (namespace: string, name: string, port: number) => string | undefined;

/** Finds services where `resolve` says; for those of which it says nothing, the API server's error is found. */
export function serviceFinder(storage: Storage, resolve: ResolveService = () => undefined): FindService {
  return (namespace, name, port) => {
    const url = resolve(namespace, name, port);
    if (url !== undefined) return { url };
    const service = storage.get('services', namespace, name)?.object;
    if (service === undefined) return { problem: `service "${name}" not found` };
    if (objectsAt(service, 'spec', 'ports').every((entry) => at(entry, 'port') !== port)) {
      return { problem: `no service port ${port} found for service "${name}"` };
    }
    // No packet reaches the address of a service: nothing runs behind it.
    return { problem: `dial tcp ${textAt(service, 'spec', 'clusterIP')}:${port}: connect: connection refused` };
  };
}
