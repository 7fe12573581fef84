import type { Grant } from './granted.ts';
import type { Need } from './need.ts';
import { rulesOf, type Rule } from './rules.ts';

/** What differs between the rights that are needed and those that are granted. */
export interface Difference {
  /** What no rule grants. */
  readonly missing: readonly Rule[];
  /** What no rule grants, and work goes on without. */
  readonly missingOptional: readonly Rule[];
  /** What is granted and not needed, one text for each rule. */
  readonly unused: readonly string[];
  /** Rules that grant by a wildcard. */
  readonly wildcards: readonly string[];
}

/** Compares needs with grants. */
export function differenceOf(needs: readonly Need[], grants: readonly Grant[]): Difference {
  const index = Map.groupBy(grants, ({ resource }) => resource);
  const used = new Set<Grant>();
  const missing = needs.filter((need) => {
    const granting = candidates(need, index).filter((grant) => isGranting(grant, need));
    for (const grant of granting) used.add(grant);
    return granting.length === 0;
  });
  const rules = rulesOf(missing);
  return {
    missing: rules.filter(({ isOptional }) => !isOptional),
    missingOptional: rules.filter(({ isOptional }) => isOptional),
    unused: grouped(grants.filter((grant) => !used.has(grant) && !isWildcard(grant))),
    wildcards: grouped(grants.filter(isWildcard)),
  };
}

/** The needs that nothing grants. */
export function missingNeeds(needs: readonly Need[], grants: readonly Grant[]): readonly Need[] {
  const index = Map.groupBy(grants, ({ resource }) => resource);
  return needs.filter((need) => !candidates(need, index).some((grant) => isGranting(grant, need)));
}

function candidates({ resource }: Need, index: ReadonlyMap<string, readonly Grant[]>): readonly Grant[] {
  const [, subresource] = resource.split('/');
  const keys = [resource, '*', ...(subresource === undefined ? [] : [`*/${subresource}`])];
  return keys.flatMap((key) => index.get(key) ?? []);
}

function isGranting(grant: Grant, need: Need): boolean {
  const isThere = grant.namespace === '' || grant.namespace === need.namespace;
  return (
    isThere &&
    ['*', need.group].includes(grant.group) &&
    ['*', need.verb].includes(grant.verb) &&
    (grant.name === undefined || grant.name === need.name)
  );
}

function isWildcard({ group, resource, verb }: Grant): boolean {
  return [group, resource, verb].some((part) => part.includes('*'));
}

/** One text for the verbs of a rule on one resource. */
function grouped(grants: readonly Grant[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { namespace, group, resource, verb, name, from } of grants) {
    const what = `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` "${name}"`}`;
    const key = `${what} in ${namespace === '' ? 'the cluster' : `the namespace ${namespace}`}, by ${from}`;
    const verbs = groups.get(key) ?? [];
    if (!verbs.includes(verb)) verbs.push(verb);
    groups.set(key, verbs);
  }
  return [...groups].map(([key, verbs]) => `${verbs.join(', ')} ${key}`).toSorted();
}
