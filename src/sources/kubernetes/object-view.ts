import type { CompiledFilter, FilterOutcome } from '../../filter/compiled-filter.ts';
import type { KubernetesBinding } from '../../hook/binding.ts';
import type { SnapshotItem } from '../../hook/trigger.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { ObjectRecord } from '../../kube/watch/store.ts';
import type { Logger } from '../../log.ts';
import { isPauseAnnotated } from './pause-annotation.ts';
import type { MonitorMetrics } from './monitor-metrics.ts';

/** Makes the snapshot item of an object: immediately, or a promise where the filter takes long. It never rejects. */
export type ObjectView = (record: ObjectRecord, object: KubeObject) => SnapshotItem | Promise<SnapshotItem>;

export interface ObjectViewOptions {
  readonly binding: KubernetesBinding;
  readonly filter: CompiledFilter | undefined;
  readonly metrics: MonitorMetrics;
  readonly log: Logger;
}

/**
 * Creates the view of a binding. Its items have the filterResult where the binding has a filter, and the object with
 * `keepFullObjectsInMemory`. They say whether the object is paused, which neither of these may show.
 */
export function createObjectView(options: ObjectViewOptions): ObjectView {
  const view = createUnmarkedView(options);
  return (record, object) => {
    // Read before the filter: the object is valid only while its event is handled.
    const isPaused = isPauseAnnotated(object.value);
    const item = view(record, object);
    if (!isPaused) return item;
    return item instanceof Promise ? item.then(marked) : marked(item);
  };
}

/** A property that few items have, so that it costs the others nothing. */
function marked(item: SnapshotItem): SnapshotItem {
  return { ...item, isPaused: true };
}

function createUnmarkedView({ binding, filter, metrics, log }: ObjectViewOptions): ObjectView {
  const keepsObject = binding.keepFullObjectsInMemory;
  if (filter === undefined) {
    return ({ namespace, name, json }, object) =>
      keepsObject ? { namespace, name, object: json ?? object.json() } : { namespace, name };
  }

  const reportOnce = createFilterErrorLog(binding, log);
  const itemOf = (record: ObjectRecord, object: KubeObject, outcome: FilterOutcome): SnapshotItem => {
    const { namespace, name, json } = record;
    const { result: filterResult, error: filterError } = outcome;
    // Literals of fixed shapes, which take the least memory: there may be a hundred thousand items.
    if (filterError !== undefined) {
      metrics.filterFailed();
      reportOnce(object, filterError);
      const failed = { namespace, name, filterResult, filterError };
      return keepsObject ? { ...failed, object: json ?? object.json() } : failed;
    }
    return keepsObject
      ? { namespace, name, object: json ?? object.json(), filterResult }
      : { namespace, name, filterResult };
  };

  return (record, object) => {
    const startedAtMs = performance.now();
    const outcome = filter.apply(object);
    if (!(outcome instanceof Promise)) {
      metrics.filtered((performance.now() - startedAtMs) / 1000);
      return itemOf(record, object, outcome);
    }
    return outcome.then((late) => {
      metrics.filtered((performance.now() - startedAtMs) / 1000);
      return itemOf(record, object, late);
    });
  };
}

/** Logs the first failure of the filter for each kind; the metric counts all of them. */
function createFilterErrorLog({ filter }: KubernetesBinding, log: Logger) {
  const reported = new Set<unknown>();
  return ({ value, namespace, name }: KubeObject, filterError: string): void => {
    const kind = value['kind'];
    if (reported.has(kind)) return;
    reported.add(kind);
    log.warn(
      { kind: String(kind), namespace, name, expression: filter?.expression, filterError },
      'filter failed on an object; further failures are only counted',
    );
  };
}
