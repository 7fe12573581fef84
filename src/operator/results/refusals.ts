import { compactGroups, groupOf } from '../../hook/combine.ts';
import type { Binding, Hook } from '../../hook/binding.ts';
import type { ContextResult, HookResult } from '../../hook/result.ts';
import type { Trigger } from '../../hook/trigger.ts';
import type { Metrics } from '../../metrics.ts';
import type { RunEvent, RunJournal } from '../../run/journal.ts';
import type { HookUnit } from '../../units/hook-unit.ts';

const MAX_OBJECTS = 10_000;

export interface RefusalsOptions {
  readonly metrics: Pick<Metrics, 'objectsRefused' | 'beforeRead'>;
  /** The unit of a hook; undefined when the hook was changed or removed. */
  readonly unitOf: (hook: Hook) => Pick<HookUnit, 'objects' | 'reconciler'> | undefined;
}

interface Refused {
  readonly hook: Hook;
  readonly trigger: ObjectTrigger;
  readonly reason: string;
}

type ObjectTrigger = Extract<Trigger, { readonly type: 'event' | 'reconcile' }>;

/**
 * The objects that hooks refuse now, for the gauge `objects_refused`: a subscriber of the journal of runs. An object
 * counts until a run of its hook succeeds without refusing it, and not when it is gone, not selected any more, or its
 * hook was changed or removed, which is looked up before each reading. The last 10,000 are known.
 */
export class Refusals implements RunJournal {
  readonly #options: RefusalsOptions;
  readonly #refused = new Map<string, Refused>();
  /** The series that were not 0 at the last reading. */
  #shown: readonly Labels[] = [];

  constructor(options: RefusalsOptions) {
    this.#options = options;
    options.metrics.beforeRead.add(() => this.#count());
  }

  record(event: RunEvent): void {
    if (event.type !== 'ended') return;
    const { run, outcome } = event;
    if (outcome.type !== 'succeeded' && outcome.type !== 'later') return;
    const { hook, triggers } = run.task;
    for (const [index, trigger] of compactGroups(triggers).entries()) {
      if (trigger.type !== 'reconcile' && (trigger.type !== 'event' || groupOf(trigger) !== undefined)) continue;
      this.#note(hook, trigger, answerOf(outcome.result, index));
    }
  }

  #note(hook: Hook, trigger: ObjectTrigger, { refused, outcome }: Partial<ContextResult>): void {
    // It says nothing of whether the object is refused.
    if (outcome === 'failed' || outcome === 'permanent') return;
    const key = keyOf(hook, trigger);
    this.#refused.delete(key);
    const isDeleted = trigger.type === 'event' && trigger.watchEvent === 'Deleted';
    if (refused === undefined || isDeleted) return;
    this.#refused.set(key, { hook, trigger, reason: refused.reason });
    const [oldest] = this.#refused.size > MAX_OBJECTS ? this.#refused.keys() : [];
    if (oldest !== undefined) this.#refused.delete(oldest);
  }

  #count(): void {
    const { objectsRefused } = this.#options.metrics;
    this.#forgetGone();
    for (const labels of this.#shown) objectsRefused.set(labels, 0);
    const counts = Map.groupBy(this.#refused.values(), (one) => JSON.stringify(Object.values(labelsOf(one))));
    this.#shown = [...counts.values()].flatMap((all) => {
      const [first] = all;
      if (first === undefined) return [];
      objectsRefused.set(labelsOf(first), all.length);
      return [labelsOf(first)];
    });
  }

  #forgetGone(): void {
    const places = new Map<Binding, ReadonlySet<string>>();
    for (const [key, { hook, trigger }] of this.#refused) {
      const unit = this.#options.unitOf(hook);
      if (unit === undefined || !isThere(unit, trigger, places)) this.#refused.delete(key);
    }
  }
}

type Labels = ReturnType<typeof labelsOf>;

function labelsOf({ hook, trigger, reason }: Refused) {
  return { hook: hook.name, binding: trigger.binding.name, reason };
}

function answerOf(result: HookResult | undefined, index: number): Partial<ContextResult> {
  return result?.contexts.get(index) ?? result ?? {};
}

function isThere(
  unit: Pick<HookUnit, 'objects' | 'reconciler'>,
  trigger: ObjectTrigger,
  places: Map<Binding, ReadonlySet<string>>,
): boolean {
  if (trigger.type === 'reconcile') return unit.reconciler(trigger)?.facts(trigger) !== undefined;
  const known = places.get(trigger.binding) ?? new Set(unit.objects(trigger.binding).map(placeOf));
  places.set(trigger.binding, known);
  return known.has(placeOf(trigger.item));
}

function keyOf(hook: Hook, trigger: ObjectTrigger): string {
  return JSON.stringify([hook.name, trigger.binding.name, placeOf(trigger.type === 'event' ? trigger.item : trigger)]);
}

function placeOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
