import type { Hook } from '../../hook/binding.ts';
import { bindingNeeds } from '../../rights/binding-needs.ts';
import { missingNeeds } from '../../rights/difference.ts';
import { grantedBy } from '../../rights/granted.ts';
import { hookletNeeds, type HookletFeatures } from '../../rights/hooklet-needs.ts';
import type { Need } from '../../rights/need.ts';
import { resourcesOf, withTested } from '../rbac/find-needs.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { Installation } from './identity.ts';
import type { Fields } from './merge.ts';

export interface NeededOptions {
  readonly crds?: readonly string[];
  readonly scenarios: readonly Scenario[];
  readonly request: Installation & { readonly withEvents: boolean };
}

/** What hooks need: by their bindings, and by what they do in scenarios. */
export async function neededByHooks(
  hooks: readonly Hook[],
  { crds, scenarios, request }: NeededOptions,
): Promise<readonly Need[]> {
  const find = await resourcesOf({ ...(crds !== undefined && { crds }) }, scenarios);
  const known = hooks.flatMap((hook) => bindingNeeds(hook, find));
  return withTested(known, scenarios, { hooks, find, home: request.namespace });
}

/** What hooklet needs for these hooks besides what the objects of `deploy/` grant it. */
export function neededByHooklet(
  hooks: readonly Hook[],
  objects: readonly Fields[],
  request: NeededOptions['request'],
): readonly Need[] {
  const { grants } = grantedBy(objects.map((object) => ({ file: 'deploy', line: 1, object })));
  const needs = hookletNeeds(hooks, featuresOf(request));
  return missingNeeds(needs, grants).filter(({ resource }) => request.withEvents || resource !== 'events');
}

/** As the Deployment of this name is configured; Leases and certificates are rights of components. */
function featuresOf({ name, namespace }: Installation): HookletFeatures {
  return {
    namespace,
    scheduleState: { name: `${name}-schedules`, isForced: false },
    deadLetters: { name: `${name}-dead-letters`, isForced: false },
    pauseByNamespace: false,
    jobsCertificate: `${name}-jobs-certs`,
    webhookConfiguration: name === 'hooklet' ? 'shell-operator-hooks-hooks' : `${name}-hooks`,
  };
}
