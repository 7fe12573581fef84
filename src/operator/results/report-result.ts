import { writeStatus, type StatusOutcome, type StatusTarget } from '../../effects/write-status.ts';
import { annotationsOf } from '../../effects/compare-and-set.ts';
import type { FinalizerSession } from '../../effects/finalizer.ts';
import { StatusMemory } from '../../effects/status-memory.ts';
import type { Hook } from '../../hook/binding.ts';
import type { HookResult } from '../../hook/result.ts';
import type { ReconcileTrigger } from '../../hook/trigger.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { EventRecorder, EventSubject, RecordedEvent } from '../../kube/coordination/event-recorder.ts';
import type { Kinds } from '../../kube/kind.ts';
import { asJsonObject, parseJson, text } from '../../kube/object.ts';
import { atOnce } from '../../lib/at-once.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import type { Logger } from '../../log.ts';
import type { Run, RunOutcome } from '../../run/run.ts';
import type { EndStatusWrite, StatusPlace } from '../../units/own-status-writes.ts';
import { subjectsOf, type ResultSubject } from './result-subjects.ts';
import type { ToldEvents } from './told-events.ts';
import { toldPlaceOf } from './told-place.ts';
import { onceToken, refusalToken } from './told-record.ts';
import { reportWarnings, type ReportWarning } from './report-warnings.ts';
import { asksForReport, withoutRefusals, wishesOf, type EventWish, type StatusWish } from './result-wishes.ts';

/** Limit of the statuses of one run that are written at the same time. */
const MAX_AT_ONCE = 8;

export interface ReportParts {
  readonly access: { readonly client: Pick<KubeClient, 'request'>; readonly kinds: Kinds };
  readonly events: Pick<EventRecorder, 'record'>;
  /** Tells what has a key, and why objects are refused, once. */
  readonly told: Pick<ToldEvents, 'tell'>;
  /** Holds the events of an object for this hook while its status is written. */
  readonly beginStatusWrite: (hook: Hook, place: StatusPlace) => EndStatusWrite;
  /** The object that a Reconcile context showed; absent: it is read. */
  readonly seen?: (run: Run, trigger: ReconcileTrigger) => Uint8Array | undefined;
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Creates the function that writes the conditions, the status and the Events of a result, for a run that succeeded,
 * failed, or is to be continued later. It never rejects and changes no outcome: what cannot be written is a warning in
 * the log. The caller awaits it before the run ends, so that the statuses of an object are written in the order of its
 * runs.
 */
export function createResultReport(
  parts: ReportParts,
): (run: Run, outcome: RunOutcome, signal: AbortSignal) => Promise<void> {
  const memory = new StatusMemory(parts.now);
  const warn = reportWarnings(parts);
  return async (run, outcome, signal) => {
    const result = resultOf(outcome);
    const session = { ...parts.access, signal };
    if (result === undefined || !asksForReport(result)) return;
    try {
      const subjects = await knownSubjects({ parts, warn, run }, signal);
      // What a run that failed says of a refusal does not count.
      const counted = outcome.type === 'failed' ? withoutRefusals(result) : result;
      const { statuses, events, problems } = wishesOf(counted, subjects);
      for (const problem of problems) warn(run, problem);
      const objects = parsedObjects();
      const isOnce = ({ event, isRefusal = false }: EventWish): boolean => isRefusal || event.once !== undefined;
      for (const wish of events) if (!isOnce(wish)) parts.events.record(recorded(wish, { objects, run }));
      const told = await tellOnce(events.filter(isOnce), { parts, objects, run }, session);
      for (const problem of told) warn(run, problem);
      await atOnce(statuses, MAX_AT_ONCE, async (wish) => {
        const target = targetOf(wish.subject, objects);
        const written = await write({ parts, memory, run }, { ...wish, target }, signal);
        const message = problemOf(written);
        if (message !== undefined) warn(run, message, wish.subject);
      });
    } catch (error) {
      warn(run, messageOf(error));
    }
  };
}

/** What of a status was not written, and why. */
function problemOf(outcome: StatusOutcome): string | undefined {
  if (outcome.type === 'failed') return outcome.message;
  return outcome.type === 'gone' ? undefined : outcome.warning;
}

function resultOf(outcome: RunOutcome): HookResult | undefined {
  return 'result' in outcome ? outcome.result : undefined;
}

interface SubjectsMeans {
  readonly parts: ReportParts;
  readonly warn: ReportWarning;
  readonly run: Run;
}

/** The objects of the contexts; none when a kind is not known, so that the Events are written at least. */
async function knownSubjects({ parts, warn, run }: SubjectsMeans, signal: AbortSignal) {
  try {
    return await subjectsOf(run, { kinds: parts.access.kinds, seen: parts.seen }, signal);
  } catch (error) {
    warn(run, messageOf(error));
    return [];
  }
}

interface WriteMeans {
  readonly parts: ReportParts;
  readonly memory: StatusMemory;
  readonly run: Run;
}

async function write(
  { parts, memory, run }: WriteMeans,
  { target, subject, ...wanted }: StatusWish & { readonly target: StatusTarget },
  signal: AbortSignal,
): Promise<StatusOutcome> {
  const { access, now, log } = parts;
  const { namespace, name } = subject;
  const end = parts.beginStatusWrite(run.task.hook, { namespace, name });
  let outcome: StatusOutcome | undefined;
  try {
    outcome = await writeStatus({ ...access, memory, now, log }, target, wanted, signal);
    return outcome;
  } finally {
    end(outcome?.type === 'written' ? outcome : undefined);
  }
}

/** Returns the object of a subject, parsed once; empty where the run did not keep it. */
function parsedObjects(): (subject: ResultSubject) => JsonObject {
  const known = new Map<ResultSubject, JsonObject>();
  return (subject) => {
    const object = known.get(subject) ?? (subject.bytes === undefined ? {} : asJsonObject(parseJson(subject.bytes)));
    known.set(subject, object);
    return object;
  };
}

type ObjectReader = ReturnType<typeof parsedObjects>;

function targetOf(subject: ResultSubject, objects: ObjectReader): StatusTarget {
  const { kind, namespace, name, isCurrent } = subject;
  const reference = { apiVersion: kind.apiVersion, kind: kind.kind, namespace, name };
  if (subject.bytes === undefined) return reference;
  const live = objects(subject);
  const { uid, generation: seen } = metadataOf(live);
  const generation = typeof seen === 'number' ? seen : undefined;
  return { ...reference, live, isCurrent, uid: text(uid), generation };
}

interface EventMeans {
  readonly objects: ObjectReader;
  readonly run: Run;
}

/** Tells what is to be told once, for one object after the other; returns what could not be done. */
async function tellOnce(
  wishes: readonly EventWish[],
  { parts, ...means }: EventMeans & { readonly parts: ReportParts },
  session: FinalizerSession,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [subject, own] of Map.groupBy(wishes, (wish) => wish.subject)) {
    const live = subject === undefined ? {} : means.objects(subject);
    const { generation } = metadataOf(live);
    const uid = text(metadataOf(live)['uid']);
    const object = subject && uid !== '' ? { ...subjectOf(subject, means.objects), uid } : undefined;
    const { hook } = means.run.task;
    const place = toldPlaceOf(hook, { binding: subject?.binding, object, annotations: annotationsOf(live) });
    const events = own.map((wish) => {
      const { event, isRefusal = false } = wish;
      const seen = typeof generation === 'number' ? generation : undefined;
      const token = isRefusal ? refusalToken(event.reason, seen) : onceToken(event.once ?? '');
      return { token, event, recorded: recorded(wish, means) };
    });
    problems.push(...(await parts.told.tell(place, events, session)));
  }
  return problems;
}

/** Without an object, the Event is about the operator's own Pod. */
function recorded({ event, subject }: EventWish, { objects, run }: EventMeans): RecordedEvent {
  const { type, reason, message, object: given } = event;
  const own = subject && subjectOf(subject, objects);
  const about = given !== undefined && own !== undefined && isSameObject(own, given) ? own : (given ?? own);
  return { type, reason, message, about, runId: run.id };
}

function subjectOf(subject: ResultSubject, objects: ObjectReader) {
  const { kind, namespace, name } = subject;
  const uid = text(metadataOf(objects(subject))['uid']);
  return { apiVersion: kind.apiVersion, kind: kind.kind, namespace, name, uid };
}

function isSameObject(a: EventSubject, b: EventSubject): boolean {
  const keyOf = ({ apiVersion, kind, namespace = '', name }: EventSubject): string =>
    JSON.stringify([apiVersion, kind, namespace, name]);
  return keyOf(a) === keyOf(b);
}

function metadataOf(object: JsonObject): JsonObject {
  return asJsonObject(object['metadata']);
}
