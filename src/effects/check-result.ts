import { inside, report, type Place } from '../hook/config-reader.ts';
import type { ContextResult } from '../hook/result.ts';

/** What a result may speak of: the contexts of the run, in the order of their file. Plain data. */
export interface ResultScope {
  readonly contexts: readonly ContextScope[];
}

export interface ContextScope {
  /** Which object the context is about; absent for one about none, or about many. */
  readonly object?: string;
  readonly isReconcile: boolean;
}

/** One element of `contexts`; without an index where that could not be read. */
export interface ContextEntry {
  readonly index?: number;
  readonly path: string;
  readonly result: ContextResult;
}

export interface ReadResult {
  readonly whole: ContextResult;
  readonly entries: readonly ContextEntry[];
  readonly scope: ResultScope;
}

/** Reports what does not fit the contexts of the run; returns what has no effect, for warnings. */
export function checkResult({ whole, entries, scope }: ReadResult, place: Place): readonly string[] {
  const { contexts } = scope;
  const objects = new Set(contexts.flatMap(({ object }) => object ?? []));
  checkWhole(whole, { objects: objects.size, isReconcile: contexts.some(({ isReconcile }) => isReconcile) }, place);
  checkIndexes(entries, contexts.length, place);
  const idleWhole = objects.size === 0 ? idleFields(whole) : '';
  const warnings = idleWhole === '' ? [] : [`${idleWhole} have no effect: no context of this run is about one object`];
  for (const { index, path, result } of entries) {
    const context = index === undefined ? undefined : contexts[index];
    if (context === undefined) continue;
    checkRefused(result, { path, issues: place.issues });
    if (!context.isReconcile) refuse(result, { path, issues: place.issues }, NOT_RECONCILE);
    const idle = context.object === undefined ? idleFields(result) : '';
    if (idle !== '') {
      warnings.push(`${path}: ${idle} have no effect: the context is not about one object`);
    }
  }
  return warnings.slice(0, MAX_WARNINGS);
}

const MAX_WARNINGS = 100;
const NOT_RECONCILE = 'is for the context of a reconcile binding, and this is none';

function checkWhole(
  whole: ContextResult,
  { objects, isReconcile }: { readonly objects: number; readonly isReconcile: boolean },
  place: Place,
): void {
  if (!isReconcile) refuse(whole, place, NOT_RECONCILE);
  checkRefused(whole, place);
  if (objects < 2) return;
  const advice = `this run is about ${objects} objects, give it for each in contexts[]`;
  if (whole.conditions.length > 0) report(inside(place, 'conditions'), advice);
  if (whole.status !== undefined) report(inside(place, 'status'), advice);
  if (whole.refused !== undefined) report(inside(place, 'refused'), advice);
  if (isReconcile) refuse(whole, place, advice);
}

/** To refuse an object is no failure, and the work on it is not to be done later. */
function checkRefused({ refused, outcome = 'done' }: ContextResult, place: Place): void {
  if (refused === undefined || outcome === 'done') return;
  report(inside(place, 'refused'), `stands beside the outcome ${outcome}, expected one of the two`);
}

/** Reports `state`, `children` and `finalized`. */
function refuse({ state, children, finalized }: ContextResult, place: Place, message: string): void {
  if (state !== undefined) report(inside(place, 'state'), message);
  if (children !== undefined) report(inside(place, 'children'), message);
  if (finalized !== undefined) report(inside(place, 'finalized'), message);
}

function checkIndexes(entries: readonly ContextEntry[], length: number, { issues }: Place): void {
  const seen = new Set<number>();
  for (const { index, path } of entries) {
    if (index === undefined) continue;
    const at = { path: `${path}.index`, issues };
    if (index >= length) report(at, `got ${index}, but this run has ${length} context(s), counted from 0`);
    if (seen.has(index)) report(at, `got ${index} a second time, expected each index once`);
    seen.add(index);
  }
}

/** What only an object can have; empty where there is nothing of it. */
function idleFields({ conditions, status, refused }: ContextResult): string {
  const hasStatus = conditions.length > 0 || status !== undefined;
  return [hasStatus ? 'conditions and status' : '', refused === undefined ? '' : 'refused']
    .filter((field) => field !== '')
    .join(', ');
}
