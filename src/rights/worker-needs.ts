import type { Hook } from '../hook/binding.ts';
import { workersRuleOf } from '../hook/executor-rule.ts';
import type { OwnNeed } from './own-needs.ts';
import { portNeeds, type PortPlaces } from './port-needs.ts';

/** The pools of the workers of hooks, each once. */
export function workerPools(hooks: readonly Pick<Hook, 'settings'>[]): readonly string[] {
  return [...new Set(hooks.flatMap((hook) => workersRuleOf(hook)?.pool ?? []))].toSorted();
}

/** What hooklet needs for hooks whose runs workers execute: to be asked by them, and nothing of their Pods. */
export function workerNeeds(hooks: readonly Pick<Hook, 'settings'>[], places: PortPlaces): readonly OwnNeed[] {
  return workerPools(hooks).length === 0 ? [] : portNeeds(places, 'workers');
}
