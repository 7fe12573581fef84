import type { ConversionBinding, ConversionRule } from '../../hook/ask-binding.ts';

/** A rule of a conversion binding, and the hook that carries it out. */
export interface ConversionStep {
  readonly hook: string;
  readonly binding: ConversionBinding;
  readonly rule: ConversionRule;
}

/**
 * Returns the fewest steps that lead from one version to another, both as `group/version`; empty where they are the
 * same, undefined where no chain of steps leads there. A rule may name a version without its group. Of several such
 * chains it is that whose steps name the group, then that of the first hooks.
 */
export function shortestChain(
  steps: readonly ConversionStep[],
  from: string,
  to: string,
): readonly ConversionStep[] | undefined {
  const group = groupOf(to);
  const reachedBy = new Map<string, ConversionStep | undefined>([[from, undefined]]);
  const ordered = steps.toSorted((a, b) => specificity(b) - specificity(a));
  // Grows while it is walked: breadth first, so that the first way to a version is a shortest one.
  const versions = [from];
  for (const version of versions) {
    if (version === to) return chainTo(version, reachedBy, group);
    for (const step of ordered) {
      const next = full(step.rule.toVersion, group);
      if (full(step.rule.fromVersion, group) !== version || reachedBy.has(next)) continue;
      reachedBy.set(next, step);
      versions.push(next);
    }
  }
  return undefined;
}

function chainTo(
  to: string,
  reachedBy: ReadonlyMap<string, ConversionStep | undefined>,
  group: string,
): readonly ConversionStep[] {
  const chain: ConversionStep[] = [];
  for (let step = reachedBy.get(to); step !== undefined;) {
    chain.unshift(step);
    step = reachedBy.get(full(step.rule.fromVersion, group));
  }
  return chain;
}

/** All versions of a CustomResourceDefinition have one group. */
function full(version: string, group: string): string {
  return version.includes('/') ? version : `${group}/${version}`;
}

function groupOf(version: string): string {
  return version.slice(0, version.indexOf('/'));
}

function specificity({ rule: { fromVersion, toVersion } }: ConversionStep): number {
  return [fromVersion, toVersion].filter((version) => version.includes('/')).length;
}
