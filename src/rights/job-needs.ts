import type { Hook } from '../hook/binding.ts';
import { jobRuleOf } from '../hook/executor-rule.ts';
import type { JobRule } from '../hook/job-rule.ts';
import { ownNeeds, type OwnNeed } from './own-needs.ts';
import { portNeeds, type PortPlaces } from './port-needs.ts';

/** The namespaces of the Jobs of hooks, each once; `home` is that of hooklet. */
export function jobNamespaces(hooks: readonly Pick<Hook, 'settings'>[], home: string): readonly string[] {
  const rules = hooks.flatMap((hook) => jobRuleOf(hook) ?? []);
  return [...new Set(rules.map(({ namespace = home }) => namespace))].toSorted();
}

/** What hooklet needs for hooks whose runs are Jobs. */
export function jobNeeds(hooks: readonly Pick<Hook, 'name' | 'settings'>[], places: PortPlaces): readonly OwnNeed[] {
  const apart = hooks.filter((hook) => jobRuleOf(hook) !== undefined);
  if (apart.length === 0) return [];
  const home = places.namespace;
  const runs = apart.flatMap((hook) => runNeeds(hook.name, home, jobRuleOf(hook)));
  return [...runs, ...portNeeds(places, 'the Pods of Jobs'), ...ownerNeeds(home)];
}

function runNeeds(hook: string, home: string, rule: JobRule | undefined): readonly OwnNeed[] {
  const namespace = rule?.namespace ?? home;
  const base = { namespace, reason: `the runs of ${hook} are Jobs` };
  const isForeign = rule?.agent === 'sidecar';
  const log = {
    namespace,
    group: '',
    resource: 'pods/log',
    reason: `the lines of ${hook}, which its sidecar cannot see`,
  };
  return [
    ...ownNeeds({ ...base, group: 'batch', resource: 'jobs' }, JOB_VERBS),
    ...ownNeeds({ ...base, group: '', resource: 'pods' }, ['get', 'list', 'watch']),
    ...(isForeign ? ownNeeds(log, ['get']) : []),
    ...ownNeeds({ namespace, group: '', resource: 'events', reason: NO_POD, isOptional: true }, ['list']),
  ];
}

const NO_POD = 'why a Job has no Pod; without it kubectl describe says so';
const JOB_VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** From its own Pod upwards. */
function ownerNeeds(home: string): readonly OwnNeed[] {
  const reason = 'Jobs are deleted with the Deployment of hooklet, and stay when it goes without it';
  const base = { group: 'apps', namespace: home, reason, isOptional: true } as const;
  const pods = { group: '', resource: 'pods', namespace: home, reason: 'the image of its own Pod is that of its Jobs' };
  return [
    ...ownNeeds(pods, ['get']),
    ...['deployments', 'replicasets'].flatMap((resource) => ownNeeds({ ...base, resource }, ['get'])),
  ];
}
