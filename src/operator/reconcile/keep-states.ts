import { annotationsOf, compareAndSet, type AnnotationChange } from '../../effects/compare-and-set.ts';
import { metadataOf, versionOf } from '../../effects/api-object.ts';
import { sortedJson } from '../../effects/children/canonical.ts';
import { PatchError, StateChangedError } from '../../errors.ts';
import { readKeptState, stateAnnotation, stateText, type KeptState } from '../../hook/kept-state.ts';
import type { ContextResult, HookResult, ResultEvent } from '../../hook/result.ts';
import { asJsonObject, parseJson } from '../../kube/object.ts';
import { keptDigest } from '../../sources/reconcile/part-filters.ts';
import { onceEventsOf, toldPlaceOf } from '../results/told-place.ts';
import { isFailure } from './reached-outcome.ts';
import { session, type Started, type Writing } from './started.ts';
import { messageOf } from '../../lib/message-of.ts';

/** A state that was written, and that the watch is to show before the next run of the object. */
export interface WrittenState {
  readonly one: Started;
  /** The digest of the annotation; absent: it was removed. */
  readonly kept?: string;
}

/**
 * Writes the states of a result, each only if nobody has changed it since the run began; with them, what is to be told
 * once is kept, so that it is told even if this process ends. Rejects with `StateChangedError` or `PatchError`.
 */
export async function keepStates(
  all: readonly Started[],
  result: HookResult,
  options: Writing,
): Promise<readonly WrittenState[]> {
  const written: WrittenState[] = [];
  for (const one of all) {
    const answer = result.contexts.get(one.index) ?? result;
    if (answer.state === undefined || isFailure(answer)) continue;
    const kept = await keepState(one, { ...answer, state: answer.state }, options);
    if (kept !== undefined) written.push(kept);
  }
  return written;
}

type Answer = ContextResult & { readonly state: string };

async function keepState(one: Started, answer: Answer, options: Writing): Promise<WrittenState | undefined> {
  const { trigger, parent } = one;
  const object = options.seen?.(options.run, trigger);
  if (object === undefined) throw changed(one, GONE);
  const annotation = stateAnnotation(trigger.binding);
  const live = asJsonObject(parseJson(object));
  const annotations = annotationsOf(live);
  const before = annotations[annotation];
  if (isGiven(readKeptState(trigger.binding, object), answer.state)) {
    checkUnchanged(one, before, options);
    return undefined;
  }
  const after = answer.state === 'null' ? undefined : stateText(parent.uid, options.run.id, answer.state);
  const hasAnnotations = metadataOf(live)['annotations'] !== undefined;
  const version = await write(
    one,
    { annotations, events: answer.events, annotation, before, after, hasAnnotations },
    options,
  );
  // A dry run changes nothing that the watch could show.
  if (version === versionOf(live)) return undefined;
  return { one, ...(after !== undefined && { kept: keptDigest(after) }) };
}

interface Change extends Omit<AnnotationChange, 'object' | 'others'> {
  readonly annotations: Readonly<Record<string, string>>;
  readonly events: readonly ResultEvent[];
}

/** Writes the state, with what is to be told; returns the resourceVersion that the object has then. */
async function write(one: Started, { annotations, events, ...change }: Change, options: Writing): Promise<string> {
  const { trigger, parent: object } = one;
  const place = toldPlaceOf(options.run.task.hook, { binding: trigger.binding, object, annotations });
  const others = options.told?.waitingWith(place, onceEventsOf(events)) ?? {};
  const outcome = await writing(one, compareAndSet({ ...change, object, others }, session(options)));
  if (outcome.type !== 'written') throw changed(one, outcome.type === 'gone' ? GONE : BY_OTHERS);
  options.told?.noteWritten(place, others);
  return outcome.version;
}

const GONE = 'the object is gone, or was created anew, since the run began';
const BY_OTHERS = 'somebody else has changed it since the run began';

/** An unchanged state is not written; that somebody else has changed it may be known nevertheless. */
function checkUnchanged(one: Started, before: string | undefined, { run, reconcilerOf }: Writing): void {
  const facts = reconcilerOf(run.task.hook, one.trigger)?.facts(one.trigger);
  if (facts?.uid !== one.parent.uid) throw changed(one, GONE);
  if (facts.kept !== (before === undefined ? undefined : keptDigest(before))) throw changed(one, BY_OTHERS);
}

async function writing<T>(one: Started, written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    const why = messageOf(error);
    throw new PatchError(`the state of ${nameOf(one)} is not kept, and nothing of the run is applied: ${why}`, {
      cause: error,
    });
  }
}

function changed(one: Started, why: string): StateChangedError {
  return new StateChangedError(`StateChanged: the state of ${nameOf(one)}: ${why}; nothing of the run is applied`);
}

function nameOf({ parent: { kind, namespace, name } }: Started): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

/** Whether the state that a run was given is the one that it answers with. */
function isGiven({ json, problem }: KeptState, state: string): boolean {
  if (problem !== undefined) return false;
  return json === state || sortedJson(JSON.parse(json)) === sortedJson(JSON.parse(state));
}
