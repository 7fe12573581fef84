import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, textAt } from '@hooklet/sandbox/testing';
import type { TestWorld } from '../../../src/testing/public.ts';

/**
 * Does in a world what controllers and kubelets would do until all is ready: workloads have their replicas, Jobs are
 * complete, claims are bound.
 */
export async function playControllers(world: TestWorld): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const waiting = (await world.list()).filter(isOutdated);
    if (waiting.length === 0) return;
    for (const object of waiting) {
      // What a hook did about the one before may have removed it.
      const found = await world.get(object);
      const status = found && statusOf(found);
      if (status !== undefined) await world.patch({ ...nameOf(object), status }, 'status');
    }
  }
  throw new Error(`${MOST_ROUNDS} rounds of the controllers brought no rest, expected workloads that stay as they are`);
}

const MOST_ROUNDS = 50;

function isOutdated(object: JsonObject): boolean {
  const wanted = statusOf(object);
  const status = objectAt(object, 'status');
  return wanted !== undefined && Object.entries(wanted).some(([name, value]) => !isSame(status[name], value));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The status of an object whose controller has nothing left to do; undefined for a kind that has none. */
export function statusOf(object: JsonObject): JsonObject | undefined {
  const generation = Number(objectAt(object, 'metadata')['generation'] ?? 1);
  const replicas = Number(objectAt(object, 'spec')['replicas'] ?? 1);
  switch (textAt(object, 'kind')) {
    case 'Deployment':
      return {
        observedGeneration: generation,
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
      };
    case 'StatefulSet':
      return {
        observedGeneration: generation,
        replicas,
        currentReplicas: replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
        currentRevision: `revision-${generation}`,
        updateRevision: `revision-${generation}`,
      };
    case 'Job':
      return { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] };
    case 'PersistentVolumeClaim':
      return { phase: 'Bound', capacity: objectAt(object, 'spec', 'resources', 'requests') };
    default:
      return undefined;
  }
}

function nameOf(object: JsonObject): JsonObject {
  const { apiVersion = '', kind = '' } = object;
  const name = textAt(object, 'metadata', 'name');
  return { apiVersion, kind, metadata: { name, namespace: textAt(object, 'metadata', 'namespace') } };
}
