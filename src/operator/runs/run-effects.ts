import type { Hook } from '../../hook/binding.ts';
import type { EventRecorder } from '../../kube/coordination/event-recorder.ts';
import type { Logger } from '../../log.ts';
import type { Effects } from '../../run/attempt.ts';
import type { RunJournal } from '../../run/journal.ts';
import type { Reconciling } from '../../run/reconciling.ts';
import type { HookUnit } from '../../units/hook-unit.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import type { ChildrenDoor } from '../reconcile/children-door.ts';
import { createReconciling } from '../reconcile/reconcile-effects.ts';
import { SeenObjects } from '../reconcile/seen-objects.ts';
import { createResultReport } from '../results/report-result.ts';
import { ToldEvents } from '../results/told-events.ts';

export interface RunEffectsOptions {
  /** What is done with the output of a run, but for its result. */
  readonly effects: Effects;
  /** For the finalizers and children of reconcile bindings; absent where no hook has one. */
  readonly access?: Pick<ClusterAccess, 'client' | 'kinds'>;
  readonly children?: ChildrenDoor | undefined;
  /** For what results say about objects; absent: nothing is written. */
  readonly events?: Pick<EventRecorder, 'record' | 'tell'> | undefined;
  /** The unit of a hook; undefined when the hook was changed or removed. */
  readonly unitOf: (hook: Hook) => HookUnit | undefined;
  /** The unit of a hook, even if the hook was changed or removed meanwhile. */
  readonly unitFor: (hook: Hook) => HookUnit | undefined;
  readonly log: Logger;
}

/** What runs do in the cluster, besides their hooks. */
export interface RunEffects {
  readonly effects: Effects;
  /** Absent where no hook has a reconcile binding. */
  readonly reconciling: Reconciling | undefined;
  /** What Reconcile contexts showed. */
  readonly seen: SeenObjects;
}

/** Joins the effects of runs: what hooks ask for, what their results say, finalizers and children. */
export function openRunEffects(options: RunEffectsOptions, journal: RunJournal): RunEffects {
  const { effects, access, children, events, unitOf, unitFor, log } = options;
  const seen = new SeenObjects();
  if (access === undefined) return { effects, reconciling: undefined, seen };
  const told = events && new ToldEvents(events);
  const seenBy: SeenObjects['of'] = (run, trigger) => seen.of(run, trigger);
  const reconciling = createReconciling({
    access,
    children,
    journal,
    told,
    seen: seenBy,
    reconcilerOf: (hook, trigger) => unitOf(hook)?.reconciler(trigger),
  });
  if (events === undefined || told === undefined) return { effects, reconciling, seen };
  const report = createResultReport({
    access,
    events,
    told,
    beginStatusWrite: (hook, place) => unitFor(hook)?.beginStatusWrite(place) ?? (() => {}),
    seen: seenBy,
    now: Date.now,
    log,
  });
  return { effects: { ...effects, report }, reconciling, seen };
}
