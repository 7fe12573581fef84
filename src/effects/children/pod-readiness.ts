import {
  conditionOf,
  failed,
  inProgress,
  ready,
  recordAt,
  recordsAt,
  textAt,
  type Readiness,
} from './readiness-values.ts';
import type { JsonObject } from '../../lib/json-object.ts';

const BROKEN = ['CrashLoopBackOff'];

/** The readiness of a Pod: by its phase, and of a running one by its condition Ready and its containers. */
export function podReadiness(object: JsonObject): Readiness {
  const status = recordAt(object, 'status');
  const phase = textAt(status, 'phase');
  switch (phase) {
    case 'Succeeded':
      return ready('has succeeded');
    case 'Failed':
      return failed(textAt(status, 'reason') || 'PodFailed', textAt(status, 'message') || 'has failed');
    case 'Running':
      return runningReadiness(object);
    case 'Pending':
      return pendingReadiness(object);
    default:
      return inProgress('PodPhaseUnknown', phase === '' ? 'has no phase yet' : `its phase is ${phase}`);
  }
}

function pendingReadiness(object: JsonObject): Readiness {
  const scheduled = conditionOf(object, 'PodScheduled');
  if (scheduled?.status !== 'False') return broken(object) ?? inProgress('PodPending', 'is pending');
  return inProgress(scheduled.reason || 'NotScheduled', scheduled.message || 'is not scheduled');
}

function runningReadiness(object: JsonObject): Readiness {
  const condition = conditionOf(object, 'Ready');
  if (condition?.status === 'True') return ready('is ready');
  return broken(object) ?? inProgress('PodNotReady', condition?.message || 'runs, and is not ready');
}

/** A container that crashes again and again. */
function broken(object: JsonObject): Readiness | undefined {
  const status = recordAt(object, 'status');
  const containers = [...recordsAt(status, 'initContainerStatuses'), ...recordsAt(status, 'containerStatuses')];
  const found = containers.find((container) =>
    BROKEN.includes(textAt(recordAt(container, 'state', 'waiting'), 'reason')),
  );
  if (found === undefined) return undefined;
  const reason = textAt(recordAt(found, 'state', 'waiting'), 'reason');
  return failed('ContainerCrashes', `container ${textAt(found, 'name')}: ${reason}`);
}
