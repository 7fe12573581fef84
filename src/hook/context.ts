import { unreachable } from '../lib/unreachable.ts';
import type { Binding, KubernetesBinding } from './binding.ts';
import { compactGroups, groupOf } from './combine.ts';
import { JsonChunks } from './json-chunks.ts';
import type { Task } from './task.ts';
import type { EventTrigger, Snapshot, SnapshotItem, Trigger } from './trigger.ts';

/** Gives the objects of a binding as they are now. */
export type SnapshotReader = (binding: KubernetesBinding) => Snapshot;

/**
 * The file a hook reads at `BINDING_CONTEXT_PATH`, as chunks to be written one after the other: a JSON array with one
 * element a trigger. Every snapshot is read at most once, all in the same instant.
 */
export function writeContexts(task: Pick<Task, 'hook' | 'triggers'>, read: SnapshotReader): readonly Uint8Array[] {
  const chunks = new JsonChunks();
  const snapshots = new Snapshots(task.hook.bindings, read);
  chunks.list('[', compactGroups(task.triggers), (trigger) => writeContext(chunks, trigger, snapshots));
  chunks.text('\n');
  return chunks.finish();
}

/** Members are written in the order of their keys, as the peer does. */
function writeContext(chunks: JsonChunks, trigger: Trigger, snapshots: Snapshots): void {
  if (trigger.type === 'onStartup') {
    chunks.text('{"binding":"onStartup"}');
    return;
  }
  chunks.text('{"binding":').value(trigger.binding.name);
  const group = groupOf(trigger);
  if (group !== undefined) {
    chunks.text(',"groupName":').value(group);
    writeSnapshots(chunks, trigger.binding.includeSnapshotsFrom, snapshots);
    chunks.text(',"type":"Group"}');
    return;
  }
  switch (trigger.type) {
    case 'schedule':
      writeSnapshots(chunks, trigger.binding.includeSnapshotsFrom, snapshots);
      chunks.text(',"type":"Schedule"}');
      return;
    case 'synchronization':
      chunks.text(',"objects":');
      writeItems(chunks, trigger.binding, snapshots.of(trigger.binding));
      writeSnapshots(chunks, trigger.binding.includeSnapshotsFrom, snapshots);
      chunks.text(',"type":"Synchronization"}');
      return;
    case 'event':
      writeEvent(chunks, trigger, snapshots);
      return;
    default:
      unreachable(trigger);
  }
}

function writeEvent(chunks: JsonChunks, { binding, item, watchEvent }: EventTrigger, snapshots: Snapshots): void {
  writeItemMembers(chunks, binding, item, ',');
  writeSnapshots(chunks, binding.includeSnapshotsFrom, snapshots);
  chunks.text(`,"type":"Event","watchEvent":"${watchEvent}"}`);
}

function writeSnapshots(chunks: JsonChunks, names: readonly string[], snapshots: Snapshots): void {
  if (names.length === 0) return;
  chunks.text(',"snapshots":');
  chunks.list('{', names.toSorted(), (name) => {
    chunks.value(name).text(':');
    chunks.list('[', snapshots.named(name), ({ binding, item }) => writeItem(chunks, binding, item));
  });
}

function writeItems(chunks: JsonChunks, binding: KubernetesBinding, snapshot: Snapshot): void {
  chunks.list('[', snapshot, (item) => writeItem(chunks, binding, item));
}

function writeItem(chunks: JsonChunks, binding: KubernetesBinding, item: SnapshotItem): void {
  chunks.text('{');
  writeItemMembers(chunks, binding, item, '');
  chunks.text('}');
}

/** `object`, `filterResult` and `filterError` as the binding asks for them; `separator` goes before the first. */
function writeItemMembers(
  chunks: JsonChunks,
  binding: KubernetesBinding,
  item: SnapshotItem,
  separator: ',' | '',
): void {
  let before: string = separator;
  if (item.filterError !== undefined) {
    chunks.text(`${before}"filterError":`).value(item.filterError);
    before = ',';
  }
  if (binding.filter !== undefined) {
    chunks.text(`${before}"filterResult":${item.filterResult ?? 'null'}`);
    before = ',';
  }
  if (binding.keepFullObjectsInMemory && item.object !== undefined) {
    chunks.text(`${before}"object":`).bytes(item.object);
  }
}

interface BoundItem {
  readonly binding: KubernetesBinding;
  readonly item: SnapshotItem;
}

/** The snapshots of one run, each read when it is first needed. */
class Snapshots {
  readonly #bindings: readonly Binding[];
  readonly #read: SnapshotReader;
  readonly #known = new Map<KubernetesBinding, Snapshot>();

  constructor(bindings: readonly Binding[], read: SnapshotReader) {
    this.#bindings = bindings;
    this.#read = read;
  }

  of(binding: KubernetesBinding): Snapshot {
    const known = this.#known.get(binding) ?? this.#read(binding);
    this.#known.set(binding, known);
    return known;
  }

  /** A group may hold several bindings of one name: their objects come one binding after the other. */
  named(name: string): readonly BoundItem[] {
    return this.#bindings
      .filter((binding) => binding.type === 'kubernetes')
      .filter((binding) => binding.name === name)
      .flatMap((binding) => this.of(binding).map((item) => ({ binding, item })));
  }
}
