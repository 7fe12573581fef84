import type { OwnPod } from './own-pod.ts';

/** The object that an Event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent for a cluster-scoped object. */
  readonly namespace?: string | undefined;
  readonly name: string;
  /** `kubectl describe` shows only the Events that carry the uid of its object. */
  readonly uid?: string | undefined;
}

/** An Event; `reason` is one word in CamelCase. */
export interface RecordedEvent {
  readonly type: 'Warning' | 'Normal';
  readonly reason: string;
  readonly message: string;
  /** Absent: the operator's own Pod. */
  readonly about?: EventSubject | undefined;
  /** The id of the run that it is about; a repeated Event has that of the last one. */
  readonly runId?: string | undefined;
}

/** An Event that is to be sent; `count` is the number of occurrences since it was last sent. */
export interface CountedEvent {
  readonly event: RecordedEvent;
  readonly subject: EventSubject;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly count: number;
}

// Leaves room for the suffix within the Kubernetes limit on names.
const MAX_NAME = 230;

export function podSubject({ name, namespace, uid }: OwnPod): EventSubject {
  return { apiVersion: 'v1', kind: 'Pod', name, namespace, uid };
}

/** Where Events about an object are: those about cluster-scoped objects are in `default`. */
export function eventNamespace({ namespace = '' }: EventSubject): string {
  return namespace === '' ? 'default' : namespace;
}

/** A name for an Event about the object; other kinds of names, such as `system:node`, are none for an Event. */
export function eventName({ name }: EventSubject, suffix: string): string {
  const start = name
    .toLowerCase()
    .slice(0, MAX_NAME)
    .replaceAll(/[^a-z0-9.-]+/g, '-')
    .replaceAll(/[.-]*\.[.-]*/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  return `${start === '' ? 'hooklet' : start}.${suffix}`;
}

/** The Event as the API server takes it. */
export function eventObject(name: string, counted: CountedEvent, instance: string): unknown {
  const { event, subject, firstAtMs, lastAtMs, count } = counted;
  const { apiVersion, kind, namespace, uid = '' } = subject;
  const { about: _about, runId, ...rest } = event;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: eventNamespace(subject), ...runAnnotation(runId) },
    involvedObject: {
      apiVersion,
      kind,
      name: subject.name,
      ...(namespace !== undefined && namespace !== '' && { namespace }),
      ...(uid !== '' && { uid }),
    },
    ...rest,
    count,
    firstTimestamp: eventTime(firstAtMs),
    lastTimestamp: eventTime(lastAtMs),
    source: { component: 'hooklet' },
    reportingComponent: 'hooklet',
    reportingInstance: instance,
  };
}

/** The annotation with the id of a run; empty without one. */
export function runAnnotation(runId: string | undefined): { readonly annotations?: Readonly<Record<string, string>> } {
  return runId === undefined ? {} : { annotations: { 'hooklet.dev/run': runId } };
}

/** Kubernetes expects whole seconds here. */
export function eventTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
