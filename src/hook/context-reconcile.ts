import { writeItems, type ItemRule } from './context-items.ts';
import type { JsonChunks } from './json-chunks.ts';
import type { KeptState } from './kept-state.ts';
import { ownedKey } from './reconcile-mark.ts';
import type { ReconcileTrigger, Snapshot } from './trigger.ts';

/** What a Reconcile context shows of one object, read when the run begins. */
export interface ReconcileView {
  /** The object as JSON in UTF-8. */
  readonly object: Uint8Array;
  /** The children of this object, by `Kind.group` of their kind, or `Kind` of the core group. */
  readonly owned: ReadonlyMap<string, Snapshot>;
  /** By the name of the entry of `watches`, the objects of it that matter to this object. */
  readonly watched: ReadonlyMap<string, Snapshot>;
  /** Whether the object is being deleted. */
  readonly isFinalizing: boolean;
  /** What the hook kept with the object; absent: nothing. */
  readonly state?: KeptState;
}

/** Returns what a Reconcile context shows; undefined when the object is gone by now. */
export type ReconcileReader = (trigger: ReconcileTrigger) => ReconcileView | undefined;

/** What the Reconcile contexts of a run say besides their objects. */
export interface ReconcileRun {
  readonly view: ReconcileReader;
  readonly runId: string;
  readonly attempt: number;
}

export interface ReconcileWriting {
  readonly run: ReconcileRun;
  /** The `output` of the last attempt, as JSON text. */
  readonly previous: string | undefined;
  readonly writeSnapshots: () => void;
}

/** Writes a Reconcile context; `object` is `null` where the object was deleted at the last moment. */
export function writeReconcile(
  chunks: JsonChunks,
  trigger: ReconcileTrigger,
  { run, previous, writeSnapshots }: ReconcileWriting,
): void {
  const { binding, reason } = trigger;
  const view = run.view(trigger);
  chunks.text(`{"attempt":${run.attempt},"binding":`).value(binding.name);
  chunks.text(`,"finalizing":${view?.isFinalizing ?? false},"object":`);
  if (view === undefined) chunks.text('null');
  else chunks.bytes(view.object);
  const owned = binding.owns.map((rule) => ({ name: ownedKey(rule), rule }));
  writeParts(chunks, 'owned', owned, view?.owned);
  if (previous !== undefined) chunks.text(`,"previous":${previous}`);
  chunks.text(`,"reason":"${reason}","runId":`).value(run.runId);
  writeSnapshots();
  chunks.text(`,"state":${view?.state?.json ?? 'null'},"type":"Reconcile"`);
  const watched = binding.watches.map((rule) => ({ name: rule.name, rule }));
  writeParts(chunks, 'watched', watched, view?.watched);
  chunks.text('}');
}

interface NamedRule {
  readonly name: string;
  readonly rule: ItemRule;
}

/** Every kind of the binding is named, also one without objects. */
function writeParts(
  chunks: JsonChunks,
  member: 'owned' | 'watched',
  rules: readonly NamedRule[],
  parts: ReconcileView['owned'] | undefined,
): void {
  chunks.text(`,"${member}":`);
  const sorted = rules.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  chunks.list('{', sorted, ({ name, rule }) => {
    chunks.value(name).text(':');
    writeItems(chunks, rule, parts?.get(name) ?? []);
  });
}

/** Views for where there is no cluster: every object is gone. */
export const NO_VIEWS: ReconcileRun = { view: () => undefined, runId: '', attempt: 1 };
