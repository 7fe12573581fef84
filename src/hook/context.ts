import { unreachable } from '../lib/unreachable.ts';
import type { Hook, KubernetesBinding } from './binding.ts';
import { compactGroups, groupOf } from './combine.ts';
import { writeItem, writeItemMembers, writeItems } from './context-items.ts';
import { asV0, writeV0 } from './context-v0.ts';
import { NO_VIEWS, writeReconcile, type ReconcileRun } from './context-reconcile.ts';
import { JsonChunks } from './json-chunks.ts';
import type { OwnSlice } from './shard.ts';
import type { Task } from './task.ts';
import type {
  AskTrigger,
  EventTrigger,
  HttpTrigger,
  ScheduleTrigger,
  Snapshot,
  SnapshotItem,
  SynchronizationTrigger,
  Trigger,
} from './trigger.ts';

/**
 * The binding contexts of a run: the JSON file that a hook reads at `BINDING_CONTEXT_PATH`. `writeContexts` is called
 * at the start of every attempt, not when the event happened, so snapshots are always current. The JSON is assembled as
 * chunks of bytes: the objects are passed on as the bytes in which the API server sent them, without parsing.
 *
 * What must hold: all snapshots of a run are read without an `await` in between, each at most once, so they show one
 * moment. The members of a context are written in alphabetical order, as shell-operator writes them. A process hook
 * gets every snapshot in each context that includes it; a warm hook gets it only in the first such context, because the
 * SDK offers the snapshots once for the whole run.
 */

/** Returns the current objects of a binding; with `slice` those alone that are in this own slice. */
export type SnapshotReader = (binding: KubernetesBinding, slice?: OwnSlice) => Snapshot;

/** What a schedule binding's persisted state says about a run when an attempt begins. */
export interface RunFacts {
  /** Counts from 1, and continues over restarts of the operator. */
  readonly attempt: number;
  readonly lastSuccessMs?: number;
}

/** Returns the facts about the run of a tick, or `undefined` if none are recorded. */
export type FactsReader = (trigger: ScheduleTrigger) => RunFacts | undefined;

/**
 * The contexts of a task as a JSON array, in chunks to be written one after the other: one element for each trigger.
 */
export function writeContexts(
  task: Pick<Task, 'hook' | 'triggers' | 'previous'>,
  read: SnapshotReader,
  facts: FactsReader = () => undefined,
  reconcile: ReconcileRun = NO_VIEWS,
): readonly Uint8Array[] {
  const chunks = new JsonChunks();
  const snapshots = new Snapshots(task.hook, read);
  const sources: RunSources = { snapshots, facts, reconcile, previous: task.previous };
  chunks.list('[', compactGroups(task.triggers), (trigger) => writeContext(chunks, trigger, sources));
  chunks.text('\n');
  return chunks.finish();
}

interface RunSources {
  readonly snapshots: Snapshots;
  readonly facts: FactsReader;
  readonly reconcile: ReconcileRun;
  readonly previous: string | undefined;
}

function writeContext(chunks: JsonChunks, trigger: Trigger, sources: RunSources): void {
  const { snapshots } = sources;
  if (trigger.type === 'onStartup') {
    chunks.text('{"binding":"onStartup"}');
    return;
  }
  if (trigger.type === 'ask') {
    writeAsk(chunks, trigger, snapshots);
    return;
  }
  const v0 = asV0(trigger);
  if (v0 !== undefined) {
    writeV0(chunks, v0);
    return;
  }
  if (trigger.type === 'reconcile') {
    const { reconcile: run, previous } = sources;
    const { includeSnapshotsFrom: names } = trigger.binding;
    writeReconcile(chunks, trigger, { run, previous, writeSnapshots: () => writeSnapshots(chunks, names, snapshots) });
    return;
  }
  const group = groupOf(trigger);
  if (group !== undefined) {
    writeGroup(chunks, trigger, { group, snapshots });
    return;
  }
  switch (trigger.type) {
    case 'schedule':
      writeSchedule(chunks, trigger, sources);
      return;
    case 'synchronization':
      writeSynchronization(chunks, trigger, snapshots);
      return;
    case 'event':
      writeEvent(chunks, trigger, snapshots);
      return;
    case 'http':
      writeHttp(chunks, trigger, snapshots);
      return;
    default:
      unreachable(trigger);
  }
}

function writeGroup(
  chunks: JsonChunks,
  { binding }: ScheduleTrigger | EventTrigger | HttpTrigger | { readonly binding: KubernetesBinding },
  { group, snapshots }: { readonly group: string; readonly snapshots: Snapshots },
): void {
  chunks.text('{"binding":').value(binding.name).text(',"groupName":').value(group);
  writeSnapshots(chunks, binding.includeSnapshotsFrom, snapshots);
  chunks.text(',"type":"Group"}');
}

function writeSchedule(chunks: JsonChunks, trigger: ScheduleTrigger, { facts, snapshots }: RunSources): void {
  const { binding, run } = trigger;
  const { attempt = run.attemptsBefore + 1, lastSuccessMs } = facts(trigger) ?? {};
  chunks.text(`{"attempt":${attempt},"binding":`).value(binding.name);
  if (lastSuccessMs !== undefined) chunks.text(`,"lastSuccess":"${timestamp(lastSuccessMs)}"`);
  chunks.text(`,"reason":"${attempt > 1 ? 'retry' : run.reason}","runId":`).value(run.runId);
  chunks.text(`,"scheduledAt":"${timestamp(run.scheduledAtMs)}"`);
  writeSnapshots(chunks, binding.includeSnapshotsFrom, snapshots);
  chunks.text(',"type":"Schedule"}');
}

/** RFC 3339 in UTC with whole seconds. */
function timestamp(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

function writeSynchronization(
  chunks: JsonChunks,
  { binding, slice }: SynchronizationTrigger,
  snapshots: Snapshots,
): void {
  chunks.text('{"binding":').value(binding.name).text(',"objects":');
  writeItems(chunks, binding, snapshots.of(binding, slice));
  if (slice !== undefined) chunks.text(',"reason":"handover"');
  writeSnapshots(chunks, binding.includeSnapshotsFrom, snapshots);
  chunks.text(',"type":"Synchronization"}');
}

function writeEvent(chunks: JsonChunks, { binding, item, watchEvent }: EventTrigger, snapshots: Snapshots): void {
  chunks.text('{"binding":').value(binding.name);
  writeItemMembers(chunks, binding, item, ',');
  writeSnapshots(chunks, binding.includeSnapshotsFrom, snapshots);
  chunks.text(`,"type":"Event","watchEvent":"${watchEvent}"}`);
}

function writeHttp(chunks: JsonChunks, trigger: HttpTrigger, snapshots: Snapshots): void {
  const { binding, caller, receivedAtMs, request, runId } = trigger;
  chunks.text('{"binding":').value(binding.name).text(',"caller":').value(caller);
  chunks.text(`,"receivedAt":"${timestamp(receivedAtMs)}","request":${request},"runId":`).value(runId);
  writeSnapshots(chunks, binding.includeSnapshotsFrom, snapshots);
  chunks.text(',"type":"Http"}');
}

function writeAsk(chunks: JsonChunks, { binding, contextType, members }: AskTrigger, snapshots: Snapshots): void {
  chunks.text('{"binding":').value(binding.name);
  for (const key of Object.keys(members).toSorted()) chunks.text(',').value(key).text(`:${members[key]}`);
  writeSnapshots(chunks, binding.includeSnapshotsFrom, snapshots);
  chunks.text(',"type":').value(contextType).text('}');
}

function writeSnapshots(chunks: JsonChunks, names: readonly string[], snapshots: Snapshots): void {
  const given = snapshots.take(names);
  if (given.length === 0) return;
  chunks.text(',"snapshots":');
  chunks.list('{', given, (name) => {
    chunks.value(name).text(':');
    chunks.list('[', snapshots.named(name), ({ binding, item }) => writeItem(chunks, binding, item));
  });
}

interface BoundItem {
  readonly binding: KubernetesBinding;
  readonly item: SnapshotItem;
}

/** The snapshots of one run, each read when it is first needed. */
class Snapshots {
  readonly #hook: Pick<Hook, 'bindings' | 'type'>;
  readonly #read: SnapshotReader;
  readonly #known = new Map<KubernetesBinding, Snapshot>();
  readonly #taken = new Set<string>();

  constructor(hook: Pick<Hook, 'bindings' | 'type'>, read: SnapshotReader) {
    this.#hook = hook;
    this.#read = read;
  }

  /** Which of `names` the next context contains, sorted. */
  take(names: readonly string[]): readonly string[] {
    const sorted = names.toSorted();
    if (this.#hook.type === 'process') return sorted;
    const fresh = sorted.filter((name) => !this.#taken.has(name));
    for (const name of fresh) this.#taken.add(name);
    return fresh;
  }

  of(binding: KubernetesBinding, slice?: OwnSlice): Snapshot {
    // The objects of a slice are in one context alone.
    if (slice !== undefined) return this.#read(binding, slice);
    const known = this.#known.get(binding) ?? this.#read(binding);
    this.#known.set(binding, known);
    return known;
  }

  /** Several bindings of a group may have the same name: their objects are concatenated. */
  named(name: string): readonly BoundItem[] {
    return this.#hook.bindings
      .filter((binding) => binding.type === 'kubernetes')
      .filter((binding) => binding.name === name)
      .flatMap((binding) => this.of(binding).map((item) => ({ binding, item })));
  }
}
