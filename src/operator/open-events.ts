import type { Environment } from '../kube/environment.ts';
import { createEventRecorder, type EventRecorder, type RecordedEvent } from '../kube/coordination/event-recorder.ts';
import { ownPod } from '../kube/coordination/own-pod.ts';
import type { Logger } from '../log.ts';
import type { ClusterAccess } from './cluster-access.ts';

/** Opens the recorder of Events about the operator's own Pod, and records when its connections are replaced. */
export function openEvents(
  { env, log }: { readonly env: Environment; readonly log: Logger },
  { client, cluster, onReplaced }: Pick<ClusterAccess, 'client' | 'cluster' | 'onReplaced'>,
): EventRecorder {
  const events = createEventRecorder({ client, pod: ownPod(env, cluster.namespace), log });
  onReplaced.add((silentMs) => events.record(replacedEvent('requests to the API server', silentMs)));
  return events;
}

/** The Event for connections that were replaced after `requests` got no response for `silentMs`. */
export function replacedEvent(requests: string, silentMs: number): RecordedEvent {
  const message = `${requests} got no response for ${Math.round(silentMs / 1000)} s`;
  return {
    type: 'Warning',
    reason: 'ConnectionsReplaced',
    message: `${message}; all connections were closed and new ones opened`,
  };
}
