import type { Hook } from '../../hook/binding.ts';
import { workersRuleOf } from '../../hook/executor-rule.ts';

/** What a head that may not run yet waits for, where that may be a worker; undefined where it is its rate limit. */
export function limitedBy(hook: Pick<Hook, 'settings'>): string | undefined {
  const rule = workersRuleOf(hook);
  if (rule === undefined) return undefined;
  const worker = `a worker of the pool ${rule.pool}`;
  const { executionMinIntervalMs = 0 } = hook.settings;
  return executionMinIntervalMs === 0 ? worker : `executionMinInterval or ${worker}`;
}
