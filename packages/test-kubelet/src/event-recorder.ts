import type { V1Pod } from '@kubernetes/client-node';
import { at, type Api } from './api.ts';

/** Records Events on a pod. */
export interface EventRecorder {
  event(type: 'Normal' | 'Warning', reason: string, message: string): void;
}

/** Makes a recorder of Events on `pod`; a repeated Event is counted. An Event that cannot be written is dropped. */
export function recordEvents(api: Api, pod: V1Pod, host: string): EventRecorder {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  const known = new Map<string, { readonly name: string; count: number }>();
  let last: Promise<unknown> = Promise.resolve();
  const send = (action: () => Promise<unknown>): void => {
    last = last.then(action).catch(() => {});
  };
  return {
    event(type, reason, message) {
      const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const key = `${type} ${reason} ${message}`;
      const before = known.get(key);
      if (before !== undefined) {
        before.count++;
        const { count } = before;
        send(() => api.patch(at(namespace, 'events', before.name), { count, lastTimestamp: now }));
        return;
      }
      const eventName = `${name}.${crypto.randomUUID().slice(0, 13).replace('-', '')}`;
      known.set(key, { name: eventName, count: 1 });
      send(() =>
        api.create(at(namespace, 'events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: eventName },
          involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
          type,
          reason,
          message,
          source: { component: 'kubelet', host },
          firstTimestamp: now,
          lastTimestamp: now,
          count: 1,
        }),
      );
    },
  };
}
