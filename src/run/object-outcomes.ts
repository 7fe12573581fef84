import { present } from '../hook/config-reader.ts';
import { isObjectMeant, type ObjectOutcome, type ObjectQuery } from '../hook/run-control.ts';
import type { RunObject, RunPart, RunRecord } from '../hook/run-record.ts';
import { shownText } from '../lib/shown.ts';

const MAX_MESSAGE_CHARS = 200;

/**
 * The last outcome for each object that a hook ran for, over more runs than are remembered. Bounded by a number of
 * objects: beyond it the one is forgotten whose last run was longest ago.
 */
export class ObjectOutcomes {
  readonly #limit: number;
  /** In the order of their last runs. */
  readonly #outcomes = new Map<string, ObjectOutcome>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The outcomes that a query asks for, the latest first. */
  list({ hook, object }: ObjectQuery): readonly ObjectOutcome[] {
    const isWanted = (one: ObjectOutcome): boolean =>
      one.name !== '' &&
      (hook === undefined || one.hook === hook) &&
      (object === undefined || isObjectMeant(object, one));
    return this.all().filter(isWanted);
  }

  /** All outcomes, the latest first; those of bindings whose runs are about no object have an empty name. */
  all(): readonly ObjectOutcome[] {
    return [...this.#outcomes.values()].toReversed();
  }

  /** The objects that an outcome is known of. */
  keys(): ReadonlySet<string> {
    return new Set(this.#outcomes.keys());
  }

  /** Takes over the outcome of a run for each of its objects but those in `except`. */
  note(record: RunRecord, except: ReadonlySet<string> = NONE): void {
    if (record.next === undefined) return;
    const whole = {
      outcome: record.outcome,
      next: record.next,
      ...(record.error !== undefined && { error: record.error }),
    };
    const parts: readonly RunPart[] = record.parts ?? [
      // Of a webhook, whose requests are about as many objects as a cluster has, only its last outcome.
      { ...whole, objects: isAbout(record) ? record.objects : [NO_OBJECT] },
    ];
    for (const part of parts) for (const object of part.objects) this.#noteObject(record, part, { object, except });
  }

  #noteObject(record: RunRecord, part: RunPart, { object, except }: NotedObject): void {
    const { hook, binding } = record;
    const key = JSON.stringify([hook, binding, object.kind, object.namespace, object.name]);
    if (except.has(key)) return;
    const known = this.#outcomes.get(key);
    this.#outcomes.delete(key);
    if (part.outcome === 'succeeded' && isGone(object.event)) return;
    this.#outcomes.set(key, outcomeOf(record, part, { ...known, ...object }));
    if (this.#outcomes.size > this.#limit) this.#forgetOldest();
  }

  #forgetOldest(): void {
    for (const oldest of this.#outcomes.keys()) {
      this.#outcomes.delete(oldest);
      return;
    }
  }
}

interface NotedObject {
  readonly object: RunObject;
  readonly except: ReadonlySet<string>;
}

const NO_OBJECT: RunObject = { kind: '', name: '', event: '' };

const NONE: ReadonlySet<string> = new Set();

function outcomeOf(
  { hook, binding, id: runId, attempt, started, ended = started, result }: RunRecord,
  { outcome, error, next }: RunPart,
  { kind, namespace, name, generation }: Omit<RunObject, 'event'>,
): ObjectOutcome {
  const message = error ?? result?.message;
  return {
    hook,
    binding,
    kind,
    ...present({ namespace }),
    name,
    ...present({ generation }),
    runId,
    attempt,
    outcome,
    at: ended,
    ...present({ again: next.again }),
    ...(message !== undefined && { message: shownText(message, MAX_MESSAGE_CHARS) }),
    ...(next.type === 'dead' && { dead: true }),
  };
}

function isAbout({ objects, request }: RunRecord): boolean {
  return objects.length > 0 && request === undefined;
}

function isGone(event: string): boolean {
  return event === 'Deleted' || event === 'deleted';
}
