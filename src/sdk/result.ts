import { checkDuration, checkReason, shortened, type ThrownEnding } from './ending.ts';
import type { ObjectLike } from './kubernetes-object.ts';
import { plainCopy } from './plain-document.ts';

/** A condition of the object's status; `observedGeneration` and `lastTransitionTime` are added. */
export interface ConditionToSet {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message?: string;
}

/** A Kubernetes Event about the object of the context, or another. */
export interface EventToRecord {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message?: string;
  readonly object?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
  };
  /** A word such as the uid of a repair: the Event is told once for the object of the context and this word. */
  readonly once?: string;
}

/** Why a hook does not work on an object. */
export interface RefusalToTell {
  /** One word in CamelCase. */
  readonly reason: string;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** One object that should be there, with the names of those that must be ready before it is written. */
export interface ChildToHave {
  readonly object: ObjectLike;
  readonly after?: readonly string[];
}

/** What a hook says about one context, or about all. */
export class ContextResult {
  readonly #call: string;
  readonly #fields: Record<string, unknown> = {};
  readonly #conditions = new Map<string, unknown>();
  readonly #events: unknown[] = [];
  #status: object | undefined;

  constructor(call: string) {
    this.#call = call;
  }

  /** Sets a condition in the status of the object; a later one of the same type replaces it. */
  condition(condition: ConditionToSet): void {
    const { message = '' } = condition;
    checkReason(`${this.#call}.condition`, condition.reason);
    this.#conditions.set(condition.type, this.#copy('condition', { ...condition, message: shortened(message) }));
  }

  /** Sets further fields in the status of the object. */
  status(fields: Readonly<Record<string, unknown>>): void {
    this.#status = { ...this.#status, ...Object(this.#copy('status', fields)) };
  }

  /** Records a Kubernetes Event. */
  event(event: EventToRecord): void {
    const { message = '' } = event;
    checkReason(`${this.#call}.event`, event.reason);
    this.#events.push(this.#copy('event', { ...event, message: shortened(message) }));
  }

  /** When to run again after a success, or after a failure; a duration such as `10m`. */
  retryAfter(duration: string): void {
    this.#fields['retryAfter'] = checkDuration(`${this.#call}.retryAfter`, duration);
  }

  /** The work cannot be done yet, which is no failure. */
  later(retryAfter?: string, message = ''): void {
    if (retryAfter !== undefined) this.retryAfter(retryAfter);
    this.end({ outcome: 'later', message });
  }

  /** The work failed, and is tried again. */
  failed(reason: string, message = ''): void {
    this.end({ outcome: 'failed', reason: checkReason(`${this.#call}.failed`, reason), message });
  }

  /** The work failed, and is not tried again until its input changes. */
  permanent(reason: string, message = ''): void {
    this.end({ outcome: 'permanent', reason: checkReason(`${this.#call}.permanent`, reason), message });
  }

  /** The hook does not work on the object until something changes, which is no failure. */
  refuse(reason: string, message: string): void {
    const refused = { reason: checkReason(`${this.#call}.refuse`, reason), message: shortened(message) };
    this.#fields['refused'] = refused;
  }

  /** Of a reconcile binding: what is kept with the object for the next run, at most 64 KiB; `null` keeps nothing. */
  state(value: unknown): void {
    this.#fields['state'] = this.#copy('state', value);
  }

  /** Of a reconcile binding: what should be there. */
  children(children: readonly (ObjectLike | ChildToHave)[]): void {
    this.#fields['children'] = this.#copy('children', children);
  }

  /** Of a reconcile binding whose object is being deleted: all is cleaned up. */
  finalized(): void {
    this.#fields['finalized'] = true;
  }

  /** Says how it ended; what was thrown at last counts. */
  protected end({ message = '', ...ending }: Omit<ThrownEnding, 'outcome'> & { readonly outcome: string }): void {
    delete this.#fields['reason'];
    delete this.#fields['message'];
    Object.assign(this.#fields, ending, message === '' ? {} : { message: shortened(message) });
  }

  /** Sets a field of the result; `value` is copied. */
  protected set(field: string, value: unknown): void {
    this.#fields[field] = this.#copy(field, value);
  }

  /** The fields that were set. */
  protected fields(): Readonly<Record<string, unknown>> {
    return {
      ...this.#fields,
      ...(this.#status && { status: this.#status }),
      ...(this.#conditions.size > 0 && { conditions: [...this.#conditions.values()] }),
      ...(this.#events.length > 0 && { events: this.#events }),
    };
  }

  // Copied at once, so that later changes of a value have no effect.
  #copy(method: string, value: unknown): unknown {
    return plainCopy(`${this.#call}.${method}`, value);
  }
}

/** What a hook says about its run: how it ended, and what the status of the object should be. */
export class RunResult extends ContextResult {
  readonly #contexts: () => readonly unknown[];
  readonly #parts = new Map<number, PartResult>();

  /** `contexts` returns those of the run. */
  constructor(contexts: () => readonly unknown[]) {
    super('result');
    this.#contexts = contexts;
  }

  /** The result of one context of several, given by its index or itself; the others end as the run does. */
  context(which: unknown): ContextResult {
    const contexts = this.#contexts();
    const index = typeof which === 'number' ? which : contexts.indexOf(which);
    if (!Number.isInteger(index) || index < 0 || index >= contexts.length) {
      throw new RangeError(`result.context: this run has ${contexts.length} context(s), and this is none of them`);
    }
    const part = this.#parts.get(index) ?? new PartResult(index);
    this.#parts.set(index, part);
    return part;
  }

  /** A value of at most 64 KiB that is kept with the run, and given to the next attempt as `previous`. */
  output(value: unknown): void {
    this.set('output', value);
  }

  /** The result file of this run, with what it threw; empty when nothing was said. */
  textWith(thrown: ThrownEnding | undefined): string {
    if (thrown !== undefined) this.end(thrown);
    const parts = [...this.#parts.values()].map((part) => part.entry());
    const fields = { ...this.fields(), ...(parts.length > 0 && { contexts: parts }) };
    return Object.keys(fields).length === 0 ? '' : `${JSON.stringify(fields)}\n`;
  }
}

class PartResult extends ContextResult {
  readonly #index: number;

  constructor(index: number) {
    super('result.context');
    this.#index = index;
  }

  entry(): Readonly<Record<string, unknown>> {
    return { index: this.#index, ...this.fields() };
  }
}
