import type { LeaderElection } from '../../kube/coordination/leader-election.ts';
import type { Executor } from '../../runner/executor.ts';
import { checkedAfter } from './checked-after.ts';

/** What runs hooks, and what ends them and the work on their output. */
export interface Working {
  readonly executor: Pick<Executor, 'execute'>;
  readonly terminate: AbortSignal;
}

/** Has runs end when the lease is lost. */
export function underLeadership(
  { executor, terminate }: Working,
  leadership: Pick<LeaderElection, 'lost' | 'check'> | undefined,
): Working {
  if (leadership === undefined) return { executor, terminate };
  return {
    executor: checkedAfter(executor, () => leadership.check()),
    terminate: AbortSignal.any([terminate, leadership.lost]),
  };
}
