import { at, numberAt, objectAt, objectsAt, present, textAt, without } from './json-fields.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Conversion } from './kind.ts';

// core/v1 name, events.k8s.io/v1 name
const EVENT_FIELDS: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

/** Events are stored as core/v1 and also served as events.k8s.io/v1. */
export const eventConversion: Conversion = {
  toStored: (event) => renamed(event, new Map(EVENT_FIELDS.map(([core, other]) => [other, core]))),
  fromStored: (event) => renamed(event, new Map(EVENT_FIELDS)),
};

function renamed(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** HorizontalPodAutoscalers are stored as autoscaling/v2 and also served as v1, which has only the CPU target. */
export const horizontalPodAutoscalerConversion: Conversion = {
  toStored: (autoscaler) => {
    const spec = objectAt(autoscaler, 'spec');
    const averageUtilization = numberAt(spec, 'targetCPUUtilizationPercentage');
    const metrics = averageUtilization === undefined ? undefined : [cpuMetric(averageUtilization)];
    return { ...autoscaler, spec: present({ ...without(spec, 'targetCPUUtilizationPercentage'), metrics }) };
  },
  fromStored: (autoscaler) => {
    const spec = objectAt(autoscaler, 'spec');
    const target = objectsAt(spec, 'metrics').find((metric) => textAt(metric, 'resource', 'name') === 'cpu');
    const targetCPUUtilizationPercentage = at(target, 'resource', 'target', 'averageUtilization');
    const status = present({
      currentReplicas: at(autoscaler, 'status', 'currentReplicas') ?? 0,
      desiredReplicas: at(autoscaler, 'status', 'desiredReplicas') ?? 0,
      lastScaleTime: at(autoscaler, 'status', 'lastScaleTime'),
    });
    return {
      ...autoscaler,
      spec: present({ ...without(spec, 'metrics', 'behavior'), targetCPUUtilizationPercentage }),
      status,
    };
  },
};

function cpuMetric(averageUtilization: number): JsonValue {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}
