import { at, textsAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { invalidValue, requiredValue, unsupportedValue, type Cause } from '../status-error.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

const SCOPES = ['*', 'Cluster', 'Namespaced'];

/** Validates a rule of a webhook. */
export function ruleCauses(rule: JsonObject, field: string): readonly Cause[] {
  const operations = textsAt(rule, 'operations');
  const scope = at(rule, 'scope');
  return [
    ...listCauses(operations, `${field}.operations`, 'operations'),
    ...operations.flatMap((operation, index) =>
      OPERATIONS.includes(operation) ? [] : [unsupportedValue(`${field}.operations[${index}]`, operation, OPERATIONS)],
    ),
    ...listCauses(textsAt(rule, 'apiGroups'), `${field}.apiGroups`, 'API groups'),
    ...listCauses(textsAt(rule, 'apiVersions'), `${field}.apiVersions`, 'API versions'),
    ...emptyCauses(textsAt(rule, 'apiVersions'), `${field}.apiVersions`),
    ...resourceCauses(textsAt(rule, 'resources'), `${field}.resources`),
    ...(scope === undefined || (typeof scope === 'string' && SCOPES.includes(scope))
      ? []
      : [unsupportedValue(`${field}.scope`, scope, SCOPES)]),
  ];
}

function listCauses(values: readonly string[], field: string, what: string): readonly Cause[] {
  if (values.length === 0) return [requiredValue(field)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalidValue(field, [...values], `if '*' is present, must not specify other ${what}`)];
}

function emptyCauses(values: readonly string[], field: string): readonly Cause[] {
  return values.flatMap((value, index) => (value === '' ? [requiredValue(`${field}[${index}]`)] : []));
}

function resourceCauses(resources: readonly string[], field: string): readonly Cause[] {
  if (resources.length === 0) return [requiredValue(field)];
  const all = resources.map((resource) => resource.split('/', 2));
  const causes = resources.flatMap((resource, index) =>
    coveredCauses(resource, resources.slice(0, index), field, index),
  );
  if (resources.includes('*/*') && resources.length > 1) {
    return [...causes, invalidValue(field, [...resources], "if '*/*' is present, must not specify other resources")];
  }
  const plain = all.filter(([, part]) => part === undefined).length;
  if (!resources.includes('*') || plain <= 1) return causes;
  const rule = "if '*' is present, must not specify other resources without subresources";
  return [...causes, invalidValue(field, [...resources], rule)];
}

/** A subresource that a pattern before it covers must not be named as well. */
function coveredCauses(resource: string, before: readonly string[], field: string, index: number): readonly Cause[] {
  if (resource === '') return [requiredValue(`${field}[${index}]`)];
  const [name = '', part] = resource.split('/', 2);
  if (part === undefined || resource === '*/*') return [];
  const covering = [`${name}/*`, `*/${part}`].find((pattern) => pattern !== resource && before.includes(pattern));
  if (covering === undefined) return [];
  const rule = `if '${covering}' is present, must not specify ${resource}`;
  return [invalidValue(`${field}[${index}]`, resource, rule)];
}
