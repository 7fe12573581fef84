import { annotationsOf, compareAndSet } from '../../effects/compare-and-set.ts';
import type { FinalizedObject, FinalizerSession } from '../../effects/finalizer.ts';
import type { RecordedEvent } from '../../kube/coordination/event-object.ts';
import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import {
  joinedTold,
  NOTHING_TOLD,
  readTold,
  toldText,
  withTold,
  type OnceEvent,
  type ToldRecord,
} from './told-record.ts';
import { messageOf } from '../../lib/message-of.ts';

const MAX_OBJECTS = 10_000;
const MAX_TRIES = 4;

/** Where it is remembered what was told of an object. */
export interface ToldPlace {
  /** Whose memory it is: a binding of a hook. */
  readonly scope: string;
  /** Absent: what was told is of no object. */
  readonly object?: FinalizedObject;
  /** The annotation of the object that remembers it; absent: only this process does. */
  readonly annotation?: string;
  /** The annotations of the object, as the run saw them. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** An Event to tell, as the recorder takes it. */
export interface EventToTell extends OnceEvent {
  readonly recorded: RecordedEvent;
}

interface Known extends ToldRecord {
  /** The text of the annotation as this process wrote it last. */
  readonly text?: string | undefined;
}

/**
 * The memory of what was told once. It is in an annotation of the object, which outlives the Events, and for the last
 * 10,000 objects in this process, which may know more than what a watch has brought. An Event is created under a name
 * that is derived from its object and token, and remembered then: so one that was created and not remembered, because
 * this process ended in between, is found by its name when it is told again.
 */
export class ToldEvents {
  readonly #recorder: Pick<EventRecorder, 'tell'>;
  readonly #known = new Map<string, Known>();

  constructor(recorder: Pick<EventRecorder, 'tell'>) {
    this.#recorder = recorder;
  }

  /** What is known of the object. */
  of(place: ToldPlace): ToldRecord {
    return joinedTold(seenIn(place), this.#known.get(keyOf(place)) ?? NOTHING_TOLD);
  }

  /** The annotations that are to be written with a state, so that these Events are told even if this process ends. */
  waitingWith(place: ToldPlace, events: readonly OnceEvent[]): Readonly<Record<string, string>> {
    const record = this.of(place);
    const fresh = events.filter(({ token }) => !record.told.includes(token));
    if (place.annotation === undefined || place.object === undefined || fresh.length === 0) return {};
    const waiting = joinedTold(record, { told: [], waiting: fresh });
    return { [place.annotation]: toldText(place.object.uid, waiting) };
  }

  /** The annotations that `waitingWith` returned are written. */
  noteWritten(place: ToldPlace, written: Readonly<Record<string, string>>): void {
    const { object, annotation = '' } = place;
    const text = written[annotation];
    if (text !== undefined && object !== undefined) this.#remember(place, { ...readTold(text, object.uid), text });
  }

  /** Tells what was not told yet, and remembers it; returns what could not be done, in words. */
  async tell(
    place: ToldPlace,
    events: readonly EventToTell[],
    { client, kinds, signal }: FinalizerSession,
  ): Promise<readonly string[]> {
    const { told } = this.of(place);
    const problems: string[] = [];
    const tokens: string[] = [];
    for (const { token, recorded } of events) {
      if (told.includes(token) || tokens.includes(token)) continue;
      const key = JSON.stringify([place.scope, place.object?.uid ?? '', token]);
      const outcome = await this.#recorder.tell(recorded, key, signal);
      if (outcome.type === 'told') tokens.push(token);
      else if (outcome.type === 'failed') problems.push(`the Event ${recorded.reason}: ${outcome.message}`);
    }
    if (tokens.length === 0) return problems;
    this.#remember(place, { ...this.#known.get(keyOf(place)), ...withTold(this.of(place), tokens) });
    const problem = await this.#write(place, { client, kinds, signal });
    return problem === undefined ? problems : [...problems, problem];
  }

  /** Writes what is known of the object to its annotation, joined with what others have written there. */
  async #write(place: ToldPlace, session: FinalizerSession): Promise<string | undefined> {
    const { object, annotation, annotations } = place;
    if (object === undefined || annotation === undefined) return undefined;
    let before = this.#known.get(keyOf(place))?.text ?? annotations[annotation];
    let hasAnnotations = before !== undefined || Object.keys(annotations).length > 0;
    try {
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const record = joinedTold(this.of(place), readTold(before, object.uid));
        const after = toldText(object.uid, record);
        const outcome = await compareAndSet({ object, annotation, before, after, hasAnnotations }, session);
        if (outcome.type === 'gone') return undefined;
        if (outcome.type === 'written') {
          this.#remember(place, { ...record, text: after });
          return undefined;
        }
        before = annotationsOf(outcome.live)[annotation];
        hasAnnotations = true;
      }
      return `what was told is not remembered: the annotation ${annotation} changes all the time`;
    } catch (error) {
      return `what was told is not remembered in the annotation ${annotation}: ${messageOf(error)}`;
    }
  }

  #remember(place: ToldPlace, known: Known): void {
    const key = keyOf(place);
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.size > MAX_OBJECTS ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

function seenIn({ object, annotation, annotations }: ToldPlace): ToldRecord {
  if (object === undefined || annotation === undefined) return NOTHING_TOLD;
  return readTold(annotations[annotation], object.uid);
}

function keyOf({ scope, object }: ToldPlace): string {
  return JSON.stringify([scope, object?.uid ?? '']);
}
