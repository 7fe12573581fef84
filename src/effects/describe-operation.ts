import { stringify } from 'yaml';
import { describeTarget, type PatchOperation } from './operation.ts';
import type { MetricOperation } from './read-metric.ts';

/** An operation for people to read: its name and target, and its payload as YAML below. */
export function describeOperation(operation: PatchOperation): string {
  const options = optionsOf(operation);
  const head = [operation.operation, describeTarget(operation), ...(options === '' ? [] : [`(${options})`])].join(' ');
  return `${head}${indented(payloadOf(operation))}`;
}

/** A metric operation for people to read: `set replicas{node="n1"} 3`. */
export function describeMetric(metric: MetricOperation): string {
  const despite = metric.ignoreHookError === true ? ['(ignoreHookError)'] : [];
  if (metric.action === 'expire') return ['expire group', metric.group, ...despite].join(' ');
  const labels = Object.entries(metric.labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const series = labels.length === 0 ? metric.name : `${metric.name}{${labels.join(',')}}`;
  const buckets = metric.action === 'observe' ? [`in buckets ${metric.buckets.join(', ')}`] : [];
  const group = metric.group === undefined ? [] : [`in group ${metric.group}`];
  return [metric.action, series, String(metric.value), ...buckets, ...group, ...despite].join(' ');
}

function optionsOf(operation: PatchOperation): string {
  const flags = {
    ignoreMissingObject: 'ignoreMissingObject' in operation && operation.ignoreMissingObject,
    ignoreHookError: operation.ignoreHookError,
    force: 'force' in operation && operation.force,
  };
  const named = Object.entries(flags).flatMap(([name, isOn]) => (isOn ? [name] : []));
  if ('preconditions' in operation && operation.preconditions !== undefined) {
    for (const [field, value] of Object.entries(operation.preconditions)) named.push(`${field} ${String(value)}`);
  }
  return [...('fieldManager' in operation ? [`fieldManager ${operation.fieldManager}`] : []), ...named].join(', ');
}

function payloadOf(operation: PatchOperation): string {
  if ('object' in operation) return yaml(operation.object);
  if ('mergePatch' in operation) return yaml(operation.mergePatch);
  if ('jsonPatch' in operation) return yaml(operation.jsonPatch);
  return 'jqFilter' in operation ? operation.jqFilter : '';
}

function yaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 }).trimEnd();
}

function indented(text: string): string {
  return text === '' ? '' : `\n    ${text.replaceAll('\n', '\n    ')}`;
}
