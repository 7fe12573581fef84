import type { KubernetesBinding } from '../../hook/binding.ts';
import type { EventTrigger } from '../../hook/trigger.ts';
import type { Logger } from '../../log.ts';
import type { MonitorMetrics } from './monitor-metrics.ts';
import type { ObservedEvent } from './observation.ts';

/** Receives the events of a binding. */
export interface EventListener {
  /** An event that the binding wants. */
  event(trigger: EventTrigger): void;
  /** An object changed, and the binding wants no event of that. */
  seen?(change: ObservedChange): void;
}

/** What happened to an object, and how the binding sees it after that, or saw it last. */
export type ObservedChange = Pick<EventTrigger, 'watchEvent' | 'item'>;

export interface WantedEventsOptions {
  readonly binding: KubernetesBinding;
  readonly listener: EventListener;
  readonly metrics: Pick<MonitorMetrics, 'suppressed'>;
  readonly log: Logger;
}

/**
 * Returns a function that passes on the events of a binding which run its hook: not those that leave the filterResult
 * as it was, or that `executeHookOnEvent` does not include.
 */
export function wantedEvents(options: WantedEventsOptions): (event: ObservedEvent) => void {
  const { binding, listener, metrics, log } = options;
  return ({ isSame, ...event }) => {
    const { watchEvent, item } = event;
    const isWanted = binding.executeHookOnEvent.includes(watchEvent);
    if (isWanted && !isSame) {
      listener.event({ type: 'event', binding, ...event });
      return;
    }
    metrics.suppressed();
    const { namespace, name } = item;
    const reason = isWanted ? 'its filterResult is unchanged' : 'executeHookOnEvent does not include it';
    log.debug({ event: watchEvent, namespace, name, reason }, 'event does not run the hook');
    listener.seen?.(event);
  };
}
