import { UsageError } from '../../errors.ts';
import type {
  Binding,
  Hook,
  KubernetesBinding,
  ReconcileBinding,
  ScheduleBinding,
  WatchEvent,
} from '../../hook/binding.ts';
import { writeContexts, type SnapshotReader } from '../../hook/context.ts';
import { nearest } from '../../hook/nearest.ts';
import { runIdOf } from '../../hook/run-id.ts';
import type { ReconcileTrigger, Snapshot, Trigger } from '../../hook/trigger.ts';
import { comparePlaces } from '../../kube/watch/object-index.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import {
  isKubernetes,
  isWatched,
  listed,
  namedBindings,
  onlyBinding,
  onlyOne,
  selecting,
  watchingBindings,
  type Naming,
} from './choose-binding.ts';
import { reconcileView, type ReconcileGiven } from './reconcile-view.ts';
import { objectName, snapshotItem, type GivenObject } from './object.ts';

/** The event that the flags of `hooklet run` describe. */
export interface EventRequest extends Naming {
  readonly event: string;
  /** The first is the object of the event; a snapshot contains all that its binding watches. */
  readonly objects: readonly GivenObject[];
  /** `runId` of a Reconcile context. */
  readonly runId?: string;
  /** Of a Reconcile: what is given besides the objects. */
  readonly around?: Partial<Pick<ReconcileGiven, 'owned' | 'watched' | 'isFinalizing'>>;
}

export interface MadeContexts {
  /** The file that the hook reads: a JSON array with one binding context. */
  readonly context: string;
  readonly warnings: readonly string[];
  /** The children in a Reconcile context. */
  readonly children?: readonly GivenObject[];
}

/** Creates the binding context that the operator would write; throws `UsageError` if it would not run the hook. */
export function makeContexts(hook: Hook, request: EventRequest, nowMs: number): MadeContexts {
  const warnings: string[] = [];
  const trigger = triggerOf(hook, request, nowMs);
  const gone = trigger.type === 'event' && trigger.watchEvent === 'Deleted' ? request.objects[0] : undefined;
  const read = (binding: KubernetesBinding): Snapshot => {
    const items = request.objects
      .filter((object) => object !== gone && isWatched(binding, object, request))
      .map((object) => snapshotItem(binding, object));
    return items.toSorted(comparePlaces);
  };
  const note = (binding: string, { name, filterError }: Snapshot[number]): void => {
    if (filterError !== undefined) warnings.push(`the filter of ${binding} failed on ${name}: ${filterError}`);
  };
  if (trigger.type === 'event') note(trigger.binding.name, trigger.item);
  if (trigger.type === 'synchronization') for (const item of read(trigger.binding)) note(trigger.binding.name, item);
  if (trigger.type === 'reconcile') return reconcileContexts(hook, trigger, { request, read });
  const chunks = writeContexts({ hook, triggers: [trigger] }, read, () => ({ attempt: 1 }));
  return { context: Buffer.concat(chunks).toString(), warnings };
}

function reconcileContexts(
  hook: Hook,
  trigger: ReconcileTrigger,
  { request, read }: { readonly request: EventRequest; readonly read: SnapshotReader },
): MadeContexts {
  const parent = parentOf(request);
  const others = request.objects.slice(1);
  const { owned = [], watched = new Map<string, readonly GivenObject[]>() } = request.around ?? {};
  const given = { parent, others, owned, watched, isFinalizing: isDeleting(request) };
  const { view, children, warnings } = reconcileView(trigger.binding, given);
  const run = { view: () => view, runId: request.runId ?? '', attempt: 1 };
  const chunks = writeContexts({ hook, triggers: [trigger] }, read, undefined, run);
  return { context: Buffer.concat(chunks).toString(), warnings, children };
}

const WATCH_EVENTS: readonly WatchEvent[] = ['Added', 'Modified', 'Deleted'];
const EVENTS = [...WATCH_EVENTS, 'Reconcile', 'Synchronization', 'Schedule', 'onStartup'] as const;

function triggerOf(hook: Hook, request: EventRequest, nowMs: number): Trigger {
  const event = EVENTS.find((one) => one.toLowerCase() === request.event.toLowerCase());
  switch (event) {
    case undefined: {
      const meant = nearest(request.event, EVENTS);
      const hint = meant === undefined ? `expected one of ${EVENTS.join(', ')}` : `did you mean ${meant}?`;
      throw new UsageError(`--event: got ${shown(request.event)}, ${hint}`);
    }
    case 'onStartup':
      return { type: 'onStartup', binding: onlyOne(hook, request, isOnStartup, event) };
    case 'Schedule': {
      const binding = onlyOne(hook, request, isSchedule, event);
      const runId = runIdOf(hook.name, binding.name, nowMs);
      const run = { runId, scheduledAtMs: nowMs, reason: 'manual' as const, attemptsBefore: 0 };
      return { type: 'schedule', binding, run };
    }
    case 'Reconcile':
      return reconciled(hook, request);
    case 'Synchronization':
      return { type: 'synchronization', binding: synchronized(hook, request) };
    case 'Added':
    case 'Modified':
    case 'Deleted':
      return changed(hook, request, event);
  }
}

function changed(hook: Hook, request: EventRequest, watchEvent: WatchEvent): Trigger {
  const [object] = request.objects;
  if (object === undefined) {
    throw new UsageError(`--event ${watchEvent} needs the object: give it with --object, - for standard input`);
  }
  const watching = watchingBindings(hook, request, object);
  const running = watching.filter(({ executeHookOnEvent }) => executeHookOnEvent.includes(watchEvent));
  if (running.length === 0) {
    const only = watching.map(({ name, executeHookOnEvent: on }) => {
      return `${name} runs on ${on.length === 0 ? 'no event' : on.join(', ')}`;
    });
    throw new UsageError(
      `hook ${hook.name} does not run on ${watchEvent} of ${objectName(object)}: ${only.join('; ')}`,
    );
  }
  const binding = onlyBinding(hook, running, `watch ${objectName(object)}`);
  return { type: 'event', binding, watchEvent, item: snapshotItem(binding, object) };
}

function synchronized(hook: Hook, request: EventRequest): KubernetesBinding {
  const [object] = request.objects;
  const found =
    object === undefined
      ? onlyOne(hook, request, isKubernetes, 'Synchronization')
      : onlyBinding(hook, watchingBindings(hook, request, object), `watch ${objectName(object)}`);
  if (found.executeHookOnSynchronization) return found;
  throw new UsageError(`binding ${found.name} of ${hook.name} has executeHookOnSynchronization: false`);
}

function reconciled(hook: Hook, request: EventRequest): Trigger {
  const parent = parentOf(request);
  const named = namedBindings(hook, request, isReconcile);
  if (named.length === 0) throw new UsageError(`hook ${hook.name} has no reconcile binding: ${listed(hook)}`);
  const binding = onlyBinding(hook, selecting(hook, named, parent), `reconcile ${objectName(parent)}`);
  const isFinalizing = isDeleting(request);
  if (isFinalizing && !binding.finalize) {
    throw new UsageError(`binding ${binding.name} has finalize: false: ${hook.name} is not run for a deleted object`);
  }
  const { namespace, name } = parent;
  return { type: 'reconcile', binding, namespace, name, reason: isFinalizing ? 'deleted' : 'changed' };
}

function parentOf({ objects: [parent] }: EventRequest): GivenObject {
  if (parent !== undefined) return parent;
  throw new UsageError('a Reconcile needs the object: give it with --object, - for standard input');
}

function isDeleting({ objects: [parent], around }: EventRequest): boolean {
  const metadata = parent?.value['metadata'];
  return around?.isFinalizing === true || (isObject(metadata) && metadata['deletionTimestamp'] !== undefined);
}

function isOnStartup(binding: Binding): binding is Extract<Binding, { readonly type: 'onStartup' }> {
  return binding.type === 'onStartup';
}

function isSchedule(binding: Binding): binding is ScheduleBinding {
  return binding.type === 'schedule';
}

function isReconcile(binding: Binding): binding is ReconcileBinding {
  return binding.type === 'reconcile';
}
