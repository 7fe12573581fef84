import type { KubernetesObject, NewObject } from 'hooklet';

/** An object in the API server. */
export interface Stored {
  readonly uid: string;
  readonly given: NewObject;
  generation: number;
}

interface State {
  readonly name: string;
  readonly isReady: boolean;
  readonly conditions: readonly object[];
}

/** The object as its controller has it: a StatefulSet whose Pod is ready, or is another one than it should be. */
export function asSeen({ uid, given, generation }: Stored, { name, isReady, conditions }: State): KubernetesObject {
  return {
    ...given,
    metadata: { ...given.metadata, name, uid, generation, resourceVersion: '1', creationTimestamp: '' },
    status: {
      observedGeneration: generation,
      readyReplicas: isReady ? 1 : 0,
      currentRevision: 'a',
      updateRevision: isReady ? 'a' : 'b',
      conditions,
    },
  };
}
