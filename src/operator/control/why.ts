import { UsageError } from '../../errors.ts';
import type { Binding, KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import { MARK_LABEL, ownedKey, reconcileMark } from '../../hook/reconcile-mark.ts';
import type { WhyBinding, WhyCheck } from '../../hook/operator-view.ts';
import { summaryOf } from '../../errors.ts';
import type { Snapshot } from '../../hook/trigger.ts';
import type { MonitorStatus } from '../../sources/kubernetes/monitor.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import { ofReplica, type ObjectShards } from './why-shard.ts';
import { selectionChecks, type SelectionOptions } from './why-selection.ts';

export interface WhyOptions extends Omit<SelectionOptions, 'meant' | 'replica'> {
  readonly unit: Pick<HookUnit, 'hook' | 'isEnabled' | 'statuses' | 'objects'>;
  /** `KIND/NS/NAME`, `NS/NAME`, or `NAME` of a cluster-scoped object. */
  readonly object: string;
  /** Absent: this replica has all objects. */
  readonly shards?: ObjectShards | undefined;
}

/**
 * Finds for each binding of a hook whether a change of an object runs the hook, and which of its fields decides. It asks
 * the API server for the object and, where a namespace is selected by its labels, for that; everything else is computed.
 */
export async function whyOf({ unit, object, shards, ...options }: WhyOptions): Promise<readonly WhyBinding[]> {
  const meant = parseObject(object);
  const found: WhyBinding[] = [];
  for (const binding of unit.hook.bindings) {
    if (!isWatching(binding)) continue;
    const replica = shards && ofReplica(unit.hook, binding, shards);
    const checks = [...(await selectionChecks(binding, { ...options, meant, ...(replica && { replica }) }))];
    if (binding.type === 'kubernetes' && resultOf(checks) === 'yes') checks.push(...eventChecks(binding, unit, meant));
    if (isSelected(checks) && !unit.isEnabled) checks.push(STARTING);
    found.push({ binding: binding.name, type: binding.type, runs: resultOf(checks), checks });
    if (binding.type === 'reconcile') found.push(...(await partsOf(binding, { ...options, meant })));
  }
  return found;
}

/** What a reconcile binding watches and owns besides its parents, where the object is of such a kind. */
async function partsOf(binding: ReconcileBinding, options: SelectionOptions): Promise<readonly WhyBinding[]> {
  const { name, watches, owns } = binding;
  const mark = { matchLabels: { [MARK_LABEL]: reconcileMark(binding) } };
  const parts = [
    ...watches.map((watched) => ({
      binding: `${name}/${watched.name}`,
      selection: watched,
      last: check('for', 'unknown', `${watched.for.expression} says for which objects it runs`),
    })),
    ...owns.map((owned) => ({
      binding: `${name}/${ownedKey(owned)}`,
      selection: { ...owned, labelSelector: mark },
      last: check('owns', 'yes', 'it is a child: its parent is looked at'),
    })),
  ];
  const found: WhyBinding[] = [];
  for (const { binding: part, selection, last } of parts) {
    const checks = [...(await selectionChecks(selection, options))];
    const [kind] = checks;
    if (kind?.result === 'no') continue;
    if (isSelected(checks)) checks.push(last);
    found.push({ binding: part, type: 'reconcile', runs: resultOf(checks), checks });
  }
  return found;
}

function check(field: string, result: WhyCheck['result'], message: string): WhyCheck {
  return { field, result, message };
}

/** An object as named on the command line. */
export interface MeantObject {
  readonly kind?: string;
  readonly namespace: string;
  readonly name: string;
}

const MAX_LENGTH = 1000;

function parseObject(text: string): MeantObject {
  const parts = text.split('/');
  const [name = '', namespace = '', kind] = parts.toReversed();
  if (name === '' || parts.length > 3 || text.length > MAX_LENGTH || kind === '') {
    throw new UsageError('an object is NAMESPACE/NAME or KIND/NAMESPACE/NAME; a cluster-scoped one NAME or KIND//NAME');
  }
  return { namespace, name, ...(kind !== undefined && { kind }) };
}

function isWatching(binding: Binding): binding is KubernetesBinding | ReconcileBinding {
  return binding.type === 'kubernetes' || binding.type === 'reconcile';
}

function isSelected(checks: readonly WhyCheck[]): boolean {
  return checks.every(({ result }) => result !== 'no');
}

function resultOf(checks: readonly WhyCheck[]): WhyBinding['runs'] {
  if (!isSelected(checks)) return 'no';
  return checks.some(({ result }) => result === 'unknown') ? 'unknown' : 'yes';
}

const STARTING: WhyCheck = {
  field: 'start',
  result: 'unknown',
  message: 'the hook waits for its turn at the start, or for its Synchronization: events come after it',
};

/** What decides once the object is selected: the events, the watch, and the filter. */
function eventChecks(
  binding: KubernetesBinding,
  unit: Pick<HookUnit, 'statuses' | 'objects'>,
  meant: MeantObject,
): readonly WhyCheck[] {
  const events = eventsCheck(binding);
  if (events.result === 'no') return [events];
  const status = unit.statuses().find(([one]) => one === binding)?.[1];
  return [events, ...watchChecks(status), ...filterChecks(binding, unit.objects(binding), meant)];
}

function eventsCheck({ executeHookOnEvent: events }: KubernetesBinding): WhyCheck {
  const field = 'executeHookOnEvent';
  if (events.length === 0) return { field, result: 'no', message: 'it is empty: no event runs the hook' };
  return { field, result: 'yes', message: events.join(', ') };
}

function watchChecks(status: MonitorStatus | undefined): readonly WhyCheck[] {
  if (status?.problem !== undefined) return [{ field: 'watch', result: 'unknown', message: status.problem }];
  if (status?.isSynced === true) return [];
  return [{ field: 'watch', result: 'unknown', message: 'its first list is not complete' }];
}

/** Says nothing of the filterResult itself, which may be secret. */
function filterChecks(
  { filter }: KubernetesBinding,
  snapshot: Snapshot,
  { namespace, name }: MeantObject,
): readonly WhyCheck[] {
  const item = snapshot.find((one) => one.name === name && one.namespace === namespace);
  if (item === undefined) {
    return [{ field: 'snapshot', result: 'unknown', message: 'the object has not come into the snapshot yet' }];
  }
  if (filter === undefined) return [];
  const field = filter.type === 'jq' ? 'jqFilter' : 'jsonPathFilter';
  if (item.filterError !== undefined) {
    const message = `it fails on the object, and its result is null: ${summaryOf(item.filterError)}`;
    return [{ field, result: 'yes', message }];
  }
  return [{ field, result: 'yes', message: `only a change of the result of ${filter.expression} runs the hook` }];
}
