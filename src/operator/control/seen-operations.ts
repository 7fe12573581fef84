import type { SeenOperation, SeenOperations } from '../../hook/operator-view.ts';
import type { HookResult } from '../../hook/result.ts';
import type { RunEvent, RunJournal } from '../../run/journal.ts';

const MAX_SEEN = 2000;

type Seen = Omit<SeenOperation, 'count'>;

/** Remembers which operations hooks asked for that were carried out, without names of objects: a limited number of kinds. */
export class SeenOperationsJournal implements RunJournal {
  readonly #seen = new Map<string, SeenOperation>();
  #dropped = 0;

  record(event: RunEvent): void {
    if (event.type === 'applied') this.#note(seenIn(event));
    if (event.type === 'ended') for (const one of reportedIn(event)) this.#note(one);
  }

  list(): SeenOperations {
    return { operations: [...this.#seen.values()], dropped: this.#dropped };
  }

  #note(seen: Seen): void {
    const { hook, verb, kind, apiVersion, namespace, subresource } = seen;
    const key = JSON.stringify([hook, verb, kind, apiVersion, namespace, subresource]);
    const known = this.#seen.get(key);
    if (known === undefined && this.#seen.size >= MAX_SEEN) this.#dropped += 1;
    else this.#seen.set(key, { ...seen, count: (known?.count ?? 0) + 1 });
  }
}

function seenIn({ run, operation }: Extract<RunEvent, { readonly type: 'applied' }>): Seen {
  const { target, namespace = '', subresource = '', operation: verb } = operation;
  const { kind, apiVersion } = target;
  return {
    hook: run.task.hook.name,
    verb,
    kind,
    ...(apiVersion !== undefined && { apiVersion }),
    namespace,
    subresource,
  };
}

/** The status and the Events of a result, about the objects of its events, and what is recorded in objects. */
function reportedIn({ run, outcome }: Extract<RunEvent, { readonly type: 'ended' }>): readonly Seen[] {
  const result = 'result' in outcome ? outcome.result : undefined;
  if (result === undefined) return [];
  return run.task.triggers.flatMap((trigger) => {
    if (trigger.type !== 'event' && trigger.type !== 'reconcile') return [];
    const { kind, apiVersion } = trigger.binding;
    const { namespace } = trigger.type === 'event' ? trigger.item : trigger;
    const base = { hook: run.task.hook.name, kind, ...(apiVersion !== undefined && { apiVersion }), namespace };
    const verbs = trigger.type === 'event' ? writtenIn(result) : recordedIn(result);
    return verbs.map((verb) => ({ ...base, verb, subresource: '' }));
  });
}

function writtenIn(result: HookResult): readonly string[] {
  const all = [result, ...result.contexts.values()];
  const hasEvents = all.some(({ events, refused }) => events.length > 0 || refused !== undefined);
  const hasStatus = all.some(
    ({ conditions, status, refused }) => conditions.length > 0 || status !== undefined || refused !== undefined,
  );
  return [...(hasStatus ? ['Status'] : []), ...(hasEvents ? ['Event'] : [])];
}

/** Of a reconcile binding; its status and Events are in the needs of every one. */
function recordedIn(result: HookResult): readonly string[] {
  const isRecorded = [result, ...result.contexts.values()].some(
    ({ state, refused, events }) =>
      state !== undefined || refused !== undefined || events.some(({ once }) => once !== undefined),
  );
  return isRecorded ? ['Record'] : [];
}
