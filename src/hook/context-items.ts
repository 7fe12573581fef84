import type { Filter } from './binding.ts';
import type { JsonChunks } from './json-chunks.ts';
import type { Snapshot, SnapshotItem } from './trigger.ts';

/** What decides which members an object has in a context: the binding, or the entry of `owns` or `watches`. */
export interface ItemRule {
  readonly filter?: Filter;
  readonly keepFullObjectsInMemory: boolean;
}

/** Writes a JSON array of objects. */
export function writeItems(chunks: JsonChunks, rule: ItemRule, snapshot: Snapshot): void {
  chunks.list('[', snapshot, (item) => writeItem(chunks, rule, item));
}

/** Writes one object of a snapshot. */
export function writeItem(chunks: JsonChunks, rule: ItemRule, item: SnapshotItem): void {
  chunks.text('{');
  writeItemMembers(chunks, rule, item, '');
  chunks.text('}');
}

/** Writes `object`, `filterResult` and `filterError` as configured; `separator` precedes the first one. */
export function writeItemMembers(chunks: JsonChunks, rule: ItemRule, item: SnapshotItem, separator: ',' | ''): void {
  let before: string = separator;
  if (item.filterError !== undefined) {
    chunks.text(`${before}"filterError":`).value(item.filterError);
    before = ',';
  }
  if (rule.filter !== undefined) {
    chunks.text(`${before}"filterResult":${item.filterResult ?? 'null'}`);
    before = ',';
  }
  if (rule.keepFullObjectsInMemory && item.object !== undefined) {
    chunks.text(`${before}"object":`).bytes(item.object);
  }
}
