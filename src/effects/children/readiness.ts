import { metadataOf } from '../api-object.ts';
import { builtInReadiness } from './built-in-readiness.ts';
import { conditionOf, inProgress, numberAt, ready, recordAt, type Readiness } from './readiness-values.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';

export type { Readiness } from './readiness-values.ts';

/**
 * Whether an object of any kind is ready, under way or failed, and why, by the rules of kstatus: those of its kind
 * where it is built in, else the conditions that operators agree on; what has no status at all is ready when it is
 * there. In two places more is asked than kstatus does: a Job is ready when it is complete, not when it has begun, and a
 * Pod that cannot be scheduled is under way, because a node may come.
 */
export function readinessOf(object: JsonObject): Readiness {
  const metadata = metadataOf(object);
  if (typeof metadata['deletionTimestamp'] === 'string') {
    const { finalizers } = metadata;
    const by = Array.isArray(finalizers) && finalizers.length > 0 ? `, held by ${finalizers.join(', ')}` : '';
    return { state: 'terminating', reason: 'Terminating', message: `is being deleted${by}` };
  }
  return unseen(object) ?? stalled(object) ?? builtInReadiness(object) ?? byReadyCondition(object);
}

function unseen(object: JsonObject): Readiness | undefined {
  const generation = numberAt(metadataOf(object), 'generation');
  const observed = numberAt(recordAt(object, 'status'), 'observedGeneration');
  if (generation === undefined || observed === undefined || observed >= generation) return undefined;
  const message = `its controller has seen generation ${observed} of ${generation}`;
  return inProgress('LatestGenerationNotObserved', message);
}

function stalled(object: JsonObject): Readiness | undefined {
  const reconciling = conditionOf(object, 'Reconciling');
  if (reconciling?.status === 'True') return inProgress(reconciling.reason || 'Reconciling', reconciling.message);
  const found = conditionOf(object, 'Stalled');
  if (found?.status !== 'True') return undefined;
  return { state: 'failed', reason: found.reason || 'Stalled', message: found.message };
}

function byReadyCondition(object: JsonObject): Readiness {
  const condition = conditionOf(object, 'Ready');
  if (condition === undefined) return ready(isObject(object['status']) ? 'is there' : 'is there, and has no status');
  if (condition.status === 'True') return ready(condition.message || 'is ready');
  return inProgress(condition.reason || 'NotReady', condition.message || `its condition Ready is ${condition.status}`);
}
