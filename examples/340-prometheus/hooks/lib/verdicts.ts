import type { EventToRecord, Patch } from 'hooklet';
import type { LeftOut } from './culprits.ts';
import { dueWrites, type Saying } from './due-writes.ts';
import type { Item, Sources } from './items.ts';
import {
  API_VERSION,
  type Binding,
  type Condition,
  type Meta,
  type Prometheus,
  type Source,
  type SourceKind,
} from './resources.ts';

/** What is to be said, and of what. */
interface Told {
  readonly items: readonly Item[];
  readonly leftOut: readonly LeftOut[];
  readonly sources: Sources;
  readonly patch: Patch;
  readonly attempt: number;
  readonly isLeaving?: boolean;
}

/** What was said. */
export interface Said {
  readonly events: readonly EventToRecord[];
  /** Those whose status the API server does not let be written. */
  readonly refused: readonly Pick<Item, 'kind' | 'source'>[];
  /** When to come again to say the rest. */
  readonly seconds?: number;
}

/**
 * Says in the status of each selected monitor and rule whether this Prometheus has it, and removes what it said of those
 * that it does not select. Writes only what differs, with an Event for each that is left out since then, and holds back
 * what is refused.
 */
export function tellSources(
  { metadata }: Prometheus,
  { items, leftOut, sources, patch, attempt, isLeaving = false }: Told,
): Said {
  const out = new Map(leftOut.map((one) => [one.item, one]));
  const told = new Set(items.map(({ source }) => source));
  const others = all(sources).filter(([, source]) => !told.has(source) && bindingOf(source, metadata) !== undefined);
  const sayings = [
    ...items.map((item) => verdictSaying(item, out.get(item), metadata)),
    ...others.map(([kind, source]) => ({ kind, source, is: textOf(bindingOf(source, metadata)), wanted: '' })),
  ];
  const { due, refused, lost, seconds } = dueWrites<Verdict>(metadata.uid, sayings, {
    isLeaving,
    isRetry: attempt > 1,
  });
  for (const one of due) write(patch, metadata, one, one.binding === undefined ? [] : [one.binding]);
  const events = [...lost, ...due.flatMap(({ event }) => event ?? [])].slice(0, MAX_EVENTS);
  return { events, refused, ...(seconds !== undefined && { seconds }) };
}

interface Verdict extends Saying {
  readonly binding?: Binding;
}

function verdictSaying(item: Item, out: LeftOut | undefined, { namespace, name }: Meta): Verdict {
  const was = bindingOf(item.source, { namespace, name });
  const old = was?.conditions?.find(({ type }) => type === 'Accepted');
  const condition = verdictOf(item, out, old);
  const binding = { namespace, name, conditions: [condition] };
  const isNews = condition.status === 'False' && (old?.status !== 'False' || old.message !== condition.message);
  const event = isNews ? { event: eventAbout(item, condition, `${namespace}/${name}`) } : {};
  return { kind: item.kind, source: item.source, is: textOf(was), wanted: textOf(binding), binding, ...event };
}

/** All of a binding but when it changed; '' where there is none. */
function textOf(binding: Binding | undefined): string {
  if (binding === undefined) return '';
  const found = binding.conditions?.find(({ type }) => type === 'Accepted');
  return JSON.stringify([found?.status, found?.reason, found?.message, found?.observedGeneration]);
}

function write(
  patch: Patch,
  by: Meta,
  { kind, source }: Pick<Item, 'kind' | 'source'>,
  bindings: readonly Binding[],
): void {
  const { name, namespace, uid } = source.metadata;
  patch.apply(
    {
      apiVersion: API_VERSION,
      kind,
      // With the uid nothing is said of another object of the name, nor is one made.
      metadata: { name, namespace, uid },
      // What is left out is taken back. An empty status would be null to the API server.
      ...(bindings.length > 0 && { status: { bindings } }),
    },
    { subresource: 'status', fieldManager: `prometheus/${by.namespace}/${by.name}`, force: true },
  );
}

/** An answer takes no more than 100, and the status of each has it anyway. */
const MAX_EVENTS = 90;

function verdictOf({ source }: Item, out: LeftOut | undefined, old: Condition | undefined): Condition {
  const status = out === undefined ? 'True' : 'False';
  const time = old?.status === status ? old.lastTransitionTime : undefined;
  return {
    type: 'Accepted',
    status,
    reason: out?.reason ?? 'Checked',
    message: out?.message.slice(0, 1000) ?? 'it is part of the configuration',
    observedGeneration: source.metadata.generation ?? 0,
    lastTransitionTime: time ?? `${new Date().toISOString().slice(0, 19)}Z`,
  };
}

function bindingOf(
  { bindings }: Source<unknown>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
) {
  return bindings?.find((binding) => binding.namespace === namespace && binding.name === name);
}

function eventAbout({ kind, source }: Item, { reason, message }: Condition, by: string): EventToRecord {
  const { namespace, name } = source.metadata;
  return {
    type: 'Warning',
    reason,
    message: `Prometheus ${by} goes on without it: ${message}`,
    object: { apiVersion: API_VERSION, kind, namespace, name },
  };
}

function all({ serviceMonitors, podMonitors, rules }: Sources): readonly (readonly [SourceKind, Source<unknown>])[] {
  return [
    ...serviceMonitors.map((source) => ['ServiceMonitor', source] as const),
    ...podMonitors.map((source) => ['PodMonitor', source] as const),
    ...rules.map((source) => ['PrometheusRule', source] as const),
  ];
}
