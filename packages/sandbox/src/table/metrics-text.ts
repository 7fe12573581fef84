import { at, objectAt, objectsAt, textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { NONE, scalarOr, someOf } from './cells.ts';

/** The metrics of a HorizontalPodAutoscaler as `current/target`, the first two and how many more there are. */
export function horizontalPodAutoscalerMetrics(object: JsonObject): string {
  const specs = objectsAt(object, 'spec', 'metrics');
  const statuses = objectsAt(object, 'status', 'currentMetrics');
  const texts = specs.map((spec, index) => metricText(spec, statuses[index] ?? {}));
  return texts.length === 0 ? NONE : someOf(texts, 2, ', ');
}

const SOURCES: { readonly [type: string]: string } = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

function metricText(spec: JsonObject, status: JsonObject): string {
  const source = SOURCES[textAt(spec, 'type')];
  if (source === undefined) return '<unknown type>';
  const target = objectAt(spec, source, 'target');
  const current = objectAt(status, source, 'current');
  if (source.toLowerCase().endsWith('resource')) return `${textAt(spec, source, 'name')}: ${usage(current, target)}`;
  if (at(target, 'averageValue') === undefined) return pair(current, target, 'value');
  return `${pair(current, target, 'averageValue')}${source === 'pods' ? '' : ' (avg)'}`;
}

function usage(current: JsonObject, target: JsonObject): string {
  if (at(target, 'averageValue') !== undefined) return pair(current, target, 'averageValue');
  const percent = (nothing: string, value: JsonObject): string =>
    at(value, 'averageUtilization') === undefined ? nothing : `${scalarOr('', value, 'averageUtilization')}%`;
  return `${percent('<unknown>', current)}/${percent('<auto>', target)}`;
}

function pair(current: JsonObject, target: JsonObject, field: string): string {
  return `${scalarOr('<unknown>', current, field)}/${scalarOr('0', target, field)}`;
}
