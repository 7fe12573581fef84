import { onTestFinished } from 'vitest';
import { openFilters } from '../../../src/filter/filters.ts';
import type { KubernetesBinding, ReconcileBinding } from '../../../src/hook/binding.ts';
import type { OwnSlice } from '../../../src/hook/shard.ts';
import { MARK_LABEL, PARENT_LABEL, reconcileMark } from '../../../src/hook/reconcile-mark.ts';
import type { ReconcileTrigger, SnapshotItem } from '../../../src/hook/trigger.ts';
import { readObject } from '../../../src/kube/object.ts';
import { aborted } from '../../../src/lib/aborted.ts';
import type { MonitorListener, MonitorStatus } from '../../../src/sources/kubernetes/monitor.ts';
import type { Part } from '../../../src/sources/reconcile/parts.ts';
import type { ReconcilerOptions } from '../../../src/sources/reconcile/reconciler.ts';
import { Reconciler } from '../../../src/sources/reconcile/reconciler.ts';
import { reconcileBinding } from '../../support/bindings.ts';

interface Made {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly [field: string]: unknown;
}

/** An object whose fields that are no metadata are beside them. */
function objectOf(made: Made) {
  const { name, namespace = 'default', uid = `uid-of-${made.name}`, ...more } = made;
  const { labels, finalizers, deletionTimestamp, ...fields } = more;
  return { metadata: { name, namespace, uid, labels, finalizers, deletionTimestamp }, ...fields };
}

class Followed {
  readonly part: Part;
  /** By their namespaces, where the kind is divided. */
  readonly #slices = new Map<string, OwnSlice>();
  readonly #listed = new Set<OwnSlice>();
  readonly #listener: MonitorListener;
  readonly #items = new Map<string, SnapshotItem>();
  status: MonitorStatus = { isSynced: false };
  #isListed = false;

  constructor(part: Part, listener: MonitorListener) {
    this.part = part;
    this.#listener = listener;
  }

  readonly monitor = {
    run: aborted,
    snapshot: () => [...this.#items.values()],
    snapshotOf: (slice: OwnSlice) => this.#itemsOf(slice),
    hasListed: (slice: OwnSlice) => this.#listed.has(slice),
    item: ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
      this.#items.get(`${namespace}/${name}`),
    status: () => this.status,
  };

  /** Has the objects of a namespace be those of a slice. */
  divide(namespace: string, slice: OwnSlice): void {
    this.#slices.set(namespace, slice);
  }

  /** The lists of a slice are complete. */
  sliceListed(slice: OwnSlice): void {
    this.#listed.add(slice);
    this.#listener.sliceListed?.(slice);
  }

  /** The slice is taken only now. */
  unlist(slice: OwnSlice): void {
    this.#listed.delete(slice);
  }

  sliceGiven(slice: OwnSlice): void {
    const items = this.#itemsOf(slice);
    this.#listed.delete(slice);
    for (const { namespace, name } of items) this.#items.delete(`${namespace}/${name}`);
    this.#listener.sliceGiven?.(slice, items);
  }

  #itemsOf(slice: OwnSlice): readonly SnapshotItem[] {
    return [...this.#items.values()].filter(({ namespace }) => this.#slices.get(namespace) === slice);
  }

  synced(): void {
    this.status = { isSynced: true };
    this.#isListed = true;
    for (const slice of this.#slices.values()) this.#listed.add(slice);
    this.#listener.synced();
  }

  /** Discovery says that there is no such kind. */
  absent(): void {
    this.status = { isSynced: true, isMissing: true, isAbsent: true };
    this.#listener.absent?.();
  }

  /** The kind is there, and its objects are listed. */
  returned(): void {
    const isFirst = !this.#isListed;
    this.status = { isSynced: true };
    if (isFirst) this.synced();
    this.#listener.returned?.();
  }

  async put(made: Made): Promise<void> {
    const value = JSON.parse(JSON.stringify(objectOf(made)));
    const json = Buffer.from(JSON.stringify(value));
    const { result, error } = await this.part.filter.apply(readObject(value, () => json));
    const { name, namespace = 'default' } = made;
    const item = { namespace, name, object: json, filterResult: result, ...(error && { filterError: error }) };
    const before = this.#items.get(`${namespace}/${name}`);
    this.#items.set(`${namespace}/${name}`, item);
    if (!this.status.isSynced || before?.filterResult === result) return;
    const slice = this.#slices.get(namespace);
    if (slice !== undefined && !this.#listed.has(slice)) return;
    this.#event(before === undefined ? 'Added' : 'Modified', item);
  }

  delete(name: string, namespace = 'default'): void {
    const item = this.#items.get(`${namespace}/${name}`);
    if (item === undefined) throw new Error(`no object ${name}`);
    this.#items.delete(`${namespace}/${name}`);
    this.#event('Deleted', item);
  }

  /** The watch has begun anew, with a list. */
  listed(): void {
    this.#listener.listed?.();
  }

  #event(watchEvent: 'Added' | 'Modified' | 'Deleted', item: SnapshotItem): void {
    const slice = this.#slices.get(item.namespace);
    const about = { binding: this.part.binding, watchEvent, item };
    this.#listener.event({ type: 'event', ...about, ...(slice !== undefined && { slice }) });
  }
}

export function reconcilerRig(
  fields: Partial<ReconcileBinding> = {},
  divided: Pick<ReconcilerOptions, 'slices' | 'hasListedBeside'> & Partial<Pick<ReconcilerOptions, 'release'>> = {},
) {
  const binding = reconcileBinding('sites', {
    owns: [
      {
        kind: 'Deployment',
        apiVersion: 'apps/v1',
        onChange: 'Apply',
        otherNamespaces: false,
        keepFullObjectsInMemory: true,
      },
    ],
    watches: [
      {
        name: 'content',
        kind: 'ConfigMap',
        apiVersion: 'v1',
        for: { type: 'jq', expression: '.for' },
        keepFullObjectsInMemory: true,
      },
    ],
    ...fields,
  });
  const filters = openFilters();
  const followed = new Map<string, Followed>();
  const emitted: ReconcileTrigger[] = [];
  const told: string[] = [];
  const reconciler = new Reconciler(binding, {
    compile: (filter) => filters.compile(filter),
    createMonitor: (part, listener) => {
      const one = new Followed(part, listener);
      followed.set(part.binding.name, one);
      return one.monitor;
    },
    emit: (trigger) => {
      if (trigger.type === 'reconcile') emitted.push(trigger);
    },
    onSynced: () => void told.push('synced'),
    release: async ({ name }) => void told.push(`released ${name}`),
    onProblem: (part: KubernetesBinding, error) => void told.push(`${part.name}: ${String(error)}`),
    now: Date.now,
    ...divided,
  });
  const controller = new AbortController();
  const ended = reconciler.run(controller.signal);
  onTestFinished(async () => {
    controller.abort();
    filters.end();
    await ended;
  });
  const of = (name: string): Followed => {
    const one = followed.get(name);
    if (one === undefined) throw new Error(`nothing called ${name}`);
    return one;
  };
  return {
    binding,
    reconciler,
    told,
    parents: of('sites'),
    children: of('sites/Deployment.apps'),
    content: of('sites/content'),
    sync: () => {
      for (const one of followed.values()) one.synced();
    },
    /** What was emitted since the last call, as `name: reason`. */
    take: () => emitted.splice(0).map(({ name, reason }) => `${name}: ${reason}`),
    takeTriggers: () => emitted.splice(0),
    trigger: (name: string): ReconcileTrigger => ({
      type: 'reconcile',
      binding,
      namespace: 'default',
      name,
      reason: 'changed',
    }),
    childOf: (parent: string, name: string): Made => ({
      name,
      labels: { [MARK_LABEL]: reconcileMark(binding), [PARENT_LABEL]: `uid-of-${parent}` },
    }),
  };
}
