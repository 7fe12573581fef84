import { UsageError } from '../../errors.ts';
import { isAskBinding } from '../../hook/ask-binding.ts';
import type { Hook } from '../../hook/binding.ts';
import { jobRuleOf, workersRuleOf } from '../../hook/executor-rule.ts';
import type { Need } from '../../rights/need.ts';
import { objectYaml } from '../../rights/object-yaml.ts';
import { baseObjects, type Component } from './base.ts';
import { installed, type Installation } from './identity.ts';
import { jobNamespaces } from '../../rights/job-needs.ts';
import { workerPools } from '../../rights/worker-needs.ts';
import { withJobsFrom } from './jobs-from.ts';
import { merged, type Fields } from './merge.ts';
import { neededByHooklet } from './needed-rights.ts';
import { grantingRoles } from './rights-text.ts';
import { withPools } from './worker-pools.ts';
import { isObject } from '../../lib/json-object.ts';

/** What is asked of `hooklet manifests`. */
export interface ManifestsRequest extends Installation {
  /** Host of an Ingress for `http` bindings; absent: no Ingress. */
  readonly host?: string;
  readonly withEvents: boolean;
  readonly withNamespace: boolean;
  /** Whether the replicas divide the objects among them. */
  readonly areSharded: boolean;
  /** Whether the needs of the hooks are also those of their scenarios. */
  readonly areTested?: boolean;
}

/** The manifests that run these hooks with what their bindings need, as YAML; the same text for the same hooks. */
export function manifestsYaml(hooks: readonly Hook[], needs: readonly Need[], request: ManifestsRequest): string {
  const components = componentsFor(hooks, request);
  const objects = installed(withPools(baseObjects(components), workerPools(hooks)), request)
    .filter((object) => isWanted(object, request))
    .map((object) => withHost(object, request.host))
    .map((object) => withJobsFrom(object, hooks, request));
  const roles = grantingRoles([...needs, ...neededByHooklet(hooks, objects, request)], request);
  const isWorkload = ({ kind }: Fields): boolean => kind === 'Deployment';
  const documents = [
    ...objects.filter((object) => !isWorkload(object)).map((object) => objectYaml(object)),
    ...roles.flatMap(({ role, binding, remarks }) => [objectYaml(role, remarks), objectYaml(binding)]),
    // After what it needs.
    ...objects.filter(isWorkload).map((object) => objectYaml(object)),
  ];
  return `${header(hooks, components, request)}${documents.join('---\n')}`;
}

/** The components of `deploy/` that the bindings of hooks ask for. */
function componentsFor(hooks: readonly Hook[], request: ManifestsRequest): readonly Component[] {
  const bindings = hooks.flatMap((hook) => hook.bindings);
  const isAsked = bindings.some(isAskBinding);
  const isCalled = bindings.some(({ type }) => type === 'http');
  const makesUp = bindings.some((binding) => binding.type === 'schedule' && binding.missed.type !== 'skip');
  const isReplicated = (request.replicas ?? 1) > 1;
  const haveJobs = hooks.some((hook) => jobRuleOf(hook) !== undefined);
  const haveWorkers = hooks.some((hook) => workersRuleOf(hook) !== undefined);
  checkHost(request.host, isCalled);
  const asked: readonly (readonly [Component, boolean])[] = [
    ['events', request.withEvents],
    ['http-triggers', isCalled],
    ['jobs', haveJobs],
    ['leader-election', isReplicated && !isAsked && !request.areSharded],
    ['run-port', haveJobs || haveWorkers],
    ['schedule-state', makesUp],
    ['webhook-certificates', isAsked],
    ['webhooks', isAsked],
    ['workers', haveWorkers],
    // Last, for it takes back what others say of a leader.
    ['shards', request.areSharded],
  ];
  return asked.filter(([, isNeeded]) => isNeeded).map(([component]) => component);
}

function checkHost(host: string | undefined, isCalled: boolean): void {
  if (host === undefined || isCalled) return;
  throw new UsageError(`manifests: --host ${host} is for http bindings, and no hook has one`);
}

/** The Ingress and who may reach it only with a host; the namespace only where it is asked for. */
function isWanted({ kind, metadata }: Fields, { host, withNamespace, name }: ManifestsRequest): boolean {
  if (kind === 'Namespace') return withNamespace;
  const isOfIngress = isObject(metadata) && metadata['name'] === `${name}-triggers` && kind !== 'Service';
  return host !== undefined || !isOfIngress;
}

function withHost(object: Fields, host: string | undefined): Fields {
  const { kind, spec } = object;
  if (kind !== 'Ingress' || host === undefined || !isObject(spec)) return object;
  const given = (list: unknown, change: Fields): unknown =>
    Array.isArray(list) ? list.map((one: unknown) => (isObject(one) ? merged(one, change) : one)) : list;
  return merged(object, {
    spec: { tls: given(spec['tls'], { hosts: [host] }), rules: given(spec['rules'], { host }) },
  });
}

function header(
  hooks: readonly Hook[],
  components: readonly Component[],
  { areTested, namespace }: ManifestsRequest,
): string {
  const names = hooks.map(({ name }) => name).toSorted();
  return [
    `# Made by hooklet manifests for ${names.length} hook(s): ${names.join(', ')}.`.replaceAll(/[^\x20-\x7e]/g, '?'),
    `# From deploy/base${components.map((name) => `, components/${name}`).join('')}.`,
    areTested === true
      ? '# The rules are those of bindings and of what the hooks do in their scenarios.'
      : '# The rules are those of bindings: add what hooks write with patches or kubectl by --scenarios, see hooklet rbac.',
    ...jobNamespaces(hooks, namespace)
      .filter((name) => name !== namespace)
      .map((name) => `# The namespace ${name} must be there before: Jobs of hooks are in it.`),
    '',
  ].join('\n');
}
