import { shown } from '../lib/shown.ts';
import { isObject } from '../lib/json-object.ts';
import { matchesLabels } from './match-labels.ts';

/** An object of a manifest, and where it is. */
export interface PlacedObject {
  readonly file: string;
  readonly line: number;
  readonly object: Readonly<Record<string, unknown>>;
}

/** A right that a role grants; `*` is any. */
export interface Grant {
  /** Empty: in all namespaces. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** Absent: any name. */
  readonly name?: string;
  /** The role, such as `ClusterRole hooklet`, and where it is. */
  readonly from: string;
}

export interface Granted {
  readonly grants: readonly Grant[];
  /** What cannot be read, each with file and line. */
  readonly problems: readonly string[];
  /** What is not an error, such as a binding to a role of another file. */
  readonly notes: readonly string[];
}

interface Role extends PlacedObject {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
  readonly namespace: string;
}

const API = 'rbac.authorization.k8s.io/';

/**
 * Reads the rights that roles and bindings grant. Aggregated ClusterRoles have the rules of those that they select. With
 * bindings only bound roles count; without any, each role counts where it is.
 */
export function grantedBy(objects: readonly PlacedObject[]): Granted {
  const roles = objects.flatMap(roleOf);
  const bindings = objects.filter(({ object }) => isRbac(object, ['RoleBinding', 'ClusterRoleBinding']));
  const problems: string[] = [];
  const notes: string[] = [];
  if (roles.length === 0 && bindings.length === 0) problems.push(noRole(objects));
  const grants = roles.flatMap((role) =>
    placesOf(role, bindings).flatMap((namespace) => grantsOf(role, { namespace, roles, problems })),
  );
  for (const binding of bindings) {
    const found = boundElsewhere(binding, roles);
    if (found === undefined) continue;
    const known = BUILT_IN.get(found.name);
    if (found.kind === 'ClusterRole' && known !== undefined) {
      grants.push(
        ...known.map((grant) => ({ ...grant, namespace: namespaceOf(binding), from: `ClusterRole ${found.name}` })),
      );
    } else
      notes.push(
        `${whereOf(binding)}: binds ${found.kind} ${found.name}, which is not in these files: give its file too`,
      );
  }
  if (bindings.length > 0) notes.push(...unbound(roles, bindings));
  return { grants, problems: [...new Set(problems)], notes };
}

const BUILT_IN: ReadonlyMap<string, readonly Omit<Grant, 'namespace' | 'from'>[]> = new Map([
  ['cluster-admin', [{ group: '*', resource: '*', verb: '*' }]],
  [
    'system:auth-delegator',
    [
      { group: 'authentication.k8s.io', resource: 'tokenreviews', verb: 'create' },
      { group: 'authorization.k8s.io', resource: 'subjectaccessreviews', verb: 'create' },
    ],
  ],
]);

function noRole(objects: readonly PlacedObject[]): string {
  const [first] = objects;
  const what = 'expected a Role or ClusterRole: give the manifest with the rules of the account';
  if (first === undefined) return `the manifest is empty, ${what}`;
  return `${whereOf(first)}: kind: received ${shown(first.object['kind'])}, ${what}`;
}

function roleOf(placed: PlacedObject): Role | [] {
  const { object } = placed;
  if (!isRbac(object, ['Role', 'ClusterRole'])) return [];
  const kind = object['kind'] === 'Role' ? 'Role' : 'ClusterRole';
  const namespace = kind === 'Role' ? namespaceOf(placed) : '';
  return { ...placed, kind, name: nameOf(placed), namespace };
}

/** The namespaces in which a role counts; empty text: all. */
function placesOf(role: Role, bindings: readonly PlacedObject[]): readonly string[] {
  if (bindings.length === 0) return [role.namespace];
  const own = bindings.filter((binding) => isBoundBy(role, binding));
  const isEverywhere = own.some(({ object }) => object['kind'] === 'ClusterRoleBinding');
  return isEverywhere ? [''] : [...new Set(own.map(namespaceOf))];
}

function isBoundBy({ kind, name, namespace }: Role, binding: PlacedObject): boolean {
  const reference = referenceOf(binding);
  if (reference.kind !== kind || reference.name !== name) return false;
  return kind === 'ClusterRole' || namespaceOf(binding) === namespace;
}

function boundElsewhere(binding: PlacedObject, roles: readonly Role[]) {
  return roles.some((role) => isBoundBy(role, binding)) ? undefined : referenceOf(binding);
}

function unbound(roles: readonly Role[], bindings: readonly PlacedObject[]): readonly string[] {
  return roles
    .filter((role) => !bindings.some((binding) => isBoundBy(role, binding)) && !isAggregatedInto(role, roles))
    .map((role) => `${whereOf(role)}: ${role.kind} ${role.name} is bound to nobody, so it does not count`);
}

function isAggregatedInto(role: Role, roles: readonly Role[]): boolean {
  return roles.some((other) => other !== role && selected(other, [role]).length > 0);
}

interface Reading {
  readonly namespace: string;
  readonly roles: readonly Role[];
  readonly problems: string[];
}

function grantsOf(role: Role, { namespace, roles, problems }: Reading): readonly Grant[] {
  const from = `${role.kind} ${role.name} (${whereOf(role)})`;
  const parts = [role, ...selected(role, roles)];
  return parts.flatMap((part) => rulesIn(part, problems).map((right): Grant => ({ ...right, namespace, from })));
}

/** The other ClusterRoles whose rules an aggregated one gets. */
function selected(role: Role, roles: readonly Role[]): readonly Role[] {
  const aggregation = role.object['aggregationRule'];
  const selectors = isObject(aggregation) ? aggregation['clusterRoleSelectors'] : undefined;
  if (!Array.isArray(selectors)) return [];
  return roles.filter(
    (other) =>
      other !== role &&
      other.kind === 'ClusterRole' &&
      selectors.some((selector: unknown) => matchesLabels(selector, metadataOf(other)['labels'])),
  );
}

type Right = Pick<Grant, 'group' | 'resource' | 'verb' | 'name'>;

function rulesIn(role: Role, problems: string[]): readonly Right[] {
  const { rules = [] } = role.object;
  if (rules !== null && !Array.isArray(rules)) {
    problems.push(`${whereOf(role)}: rules: received ${shown(rules)}, expected a list of rules`);
    return [];
  }
  return (rules ?? []).flatMap((rule: unknown, index: number) =>
    rightsOf(rule, (field, value, expected) =>
      problems.push(`${whereOf(role)}: rules[${index}]${field}: received ${shown(value)}, expected ${expected}`),
    ),
  );
}

type Fail = (field: string, value: unknown, expected: string) => void;

function rightsOf(rule: unknown, fail: Fail): readonly Right[] {
  if (!isObject(rule)) {
    fail('', rule, 'an object with apiGroups, resources and verbs');
    return [];
  }
  for (const field of Object.keys(rule))
    if (!FIELDS.includes(field)) fail(`.${field}`, rule[field], `one of ${FIELDS.join(', ')}`);
  const verbs = texts(rule, 'verbs', fail);
  if (rule['nonResourceURLs'] !== undefined) return [];
  const [groups, resources] = [texts(rule, 'apiGroups', fail), texts(rule, 'resources', fail)];
  const given = rule['resourceNames'] === undefined ? [] : texts(rule, 'resourceNames', fail);
  const names = given.length === 0 ? [{}] : given.map((name) => ({ name }));
  return verbs.flatMap((verb) =>
    groups.flatMap((group) =>
      resources.flatMap((resource) => names.map((name) => ({ group, resource, verb, ...name }))),
    ),
  );
}

const FIELDS = ['apiGroups', 'resources', 'verbs', 'resourceNames', 'nonResourceURLs'];

function texts(rule: Readonly<Record<string, unknown>>, field: string, fail: Fail): readonly string[] {
  const value = rule[field];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  fail(`.${field}`, value, 'a list of strings');
  return [];
}

function isRbac({ apiVersion, kind }: Readonly<Record<string, unknown>>, kinds: readonly string[]): boolean {
  return typeof apiVersion === 'string' && apiVersion.startsWith(API) && kinds.includes(String(kind));
}

function referenceOf({ object }: PlacedObject): { readonly kind: string; readonly name: string } {
  const reference = object['roleRef'];
  const { kind, name } = isObject(reference) ? reference : {};
  return { kind: String(kind), name: String(name) };
}

function metadataOf({ object }: PlacedObject): Readonly<Record<string, unknown>> {
  const { metadata } = object;
  return isObject(metadata) ? metadata : {};
}

function nameOf(placed: PlacedObject): string {
  const { name } = metadataOf(placed);
  return typeof name === 'string' ? name : '';
}

/** Empty for a ClusterRoleBinding. */
function namespaceOf(placed: PlacedObject): string {
  if (placed.object['kind'] === 'ClusterRoleBinding') return '';
  const { namespace } = metadataOf(placed);
  return typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
}

function whereOf({ file, line }: PlacedObject): string {
  return `${file}:${line}`;
}
