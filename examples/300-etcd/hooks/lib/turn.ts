import type { KubernetesObject, ReconcileAnswer } from 'hooklet';
import { act, type Save } from './act.ts';
import { childrenOf } from './children.ts';
import { DEFAULT_REPAIR_AFTER, type EtcdCluster } from './cluster.ts';
import type { EtcdPort } from './etcd-port.ts';
import { formOf } from './form.ts';
import { memoryAfter, memoryIn } from './memory.ts';
import type { Observed, Wanted } from './observed.ts';
import { observe } from './observe.ts';
import { plan } from './plan.ts';
import { millisecondsOf } from './quantity.ts';
import { isDeed, type Step } from './step.ts';
import { trustWanted } from './tls/trust.ts';
import { conditionsOf, eventsOf, statusOf } from './tell.ts';

export interface TurnInput {
  readonly object: EtcdCluster;
  readonly owned: Readonly<Record<string, readonly KubernetesObject[]>>;
  readonly etcd: EtcdPort;
  readonly save: Save;
  /** What the run before left. */
  readonly state: unknown;
  readonly nowMs: number;
  /** Secrets of the user with certificates for this cluster. */
  readonly given?: readonly KubernetesObject[];
}

/** One run: looks, does one step, and tells. */
export async function turn(input: TurnInput): Promise<ReconcileAnswer> {
  const { object, owned, etcd, save, state, nowMs, given = [] } = input;
  const observed = await observe(object, owned, etcd, { nowMs, memory: memoryIn(state), given });
  const wanted = wantedOf(object, observed);
  const planned = plan(observed, wanted);
  const step = await act(planned, observed, { etcd, save });
  const conditions = conditionsOf(observed, wanted, step);
  return {
    // A refused spec changes no objects.
    ...(step.do !== 'refuse' && { children: childrenOf(observed, wanted, step) }),
    status: statusOf(observed, wanted),
    conditions,
    events: eventsOf(object, step, conditions),
    ...kept(observed, step),
    retryAfter: againAfter(step),
  };
}

/** Nothing is kept before there is something to be remembered. */
function kept({ memory, members = [], nowMs }: Observed, step: Step): Pick<ReconcileAnswer, 'state'> {
  const after = memoryAfter(memory, step, { nowMs, ids: members.map(({ id }) => id) });
  return after === memory ? {} : { state: after };
}

function wantedOf({ spec }: EtcdCluster, observed: Observed): Wanted {
  const trust = trustWanted(observed, spec);
  const { after = DEFAULT_REPAIR_AFTER } = spec.repair ?? {};
  return { spec, trust, form: formOf(spec, trust), repairAfterMs: millisecondsOf(after) ?? Number.POSITIVE_INFINITY };
}

/** Reasons that end with a change of an object, which calls the hook. */
const FOLLOWED = new Set(['PodsNotReady']);

/** Objects that change, such as one whose Pod fails its probe, call the hook too; this is for what etcd alone knows. */
function againAfter(step: Step): string {
  if (isDeed(step)) return '1s';
  // An alarm, and files that are half free.
  if (step.do === 'rest') return '5m';
  return step.do === 'wait' && !FOLLOWED.has(step.reason) ? '5s' : '1m';
}
