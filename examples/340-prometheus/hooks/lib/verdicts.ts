import type { EventToRecord, Patch } from 'hooklet';
import type { LeftOut } from './culprits.ts';
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
}

/**
 * Says in the status of each selected monitor and rule whether this Prometheus has it, and removes what it said of those
 * that it does not select. Writes only what differs, and returns an Event for each that is left out since then.
 */
export function tellSources(
  { metadata }: Prometheus,
  { items, leftOut, sources, patch }: Told,
): readonly EventToRecord[] {
  const out = new Map(leftOut.map((one) => [one.item, one]));
  const events = items.flatMap((item) => {
    const old = bindingOf(item.source, metadata)?.conditions?.find(({ type }) => type === 'Accepted');
    const condition = verdictOf(item, out.get(item), old);
    if (old !== undefined && isSame(old, condition)) return [];
    const { namespace, name } = metadata;
    write(patch, metadata, item, [{ namespace, name, conditions: [condition] }]);
    const isNews = condition.status === 'False' && (old?.status !== 'False' || old.message !== condition.message);
    return isNews ? [eventAbout(item, condition, `${namespace}/${name}`)] : [];
  });
  const told = new Set(items.map(({ source }) => source));
  for (const [kind, source] of all(sources)) {
    const isLeft = !told.has(source) && bindingOf(source, metadata) !== undefined;
    if (isLeft) write(patch, metadata, { kind, source }, []);
  }
  return events.slice(0, MAX_EVENTS);
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

function isSame(old: Condition, condition: Condition): boolean {
  return (
    old.status === condition.status &&
    old.reason === condition.reason &&
    old.message === condition.message &&
    old.observedGeneration === condition.observedGeneration
  );
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
