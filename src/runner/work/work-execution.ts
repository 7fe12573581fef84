import type { RemoteResult } from '../../hook/remote-run.ts';
import type { Execution } from '../executor.ts';
import { failedRun } from '../failed-run.ts';
import { cutOff, executionOfResult, NO_EXIT, notRun, unreadable } from '../remote-result.ts';
import type { EndOrder, WorkRun } from './work-run.ts';

/** How a worker has a run no more, without a result. */
export type RunLoss =
  /** It was silent for so long that what it ran has ended. */
  | 'silent'
  /** It said once that it has the run, and does not say so any more. */
  | 'dropped'
  /** It never said that it has the run. */
  | 'onItsWay'
  /** It has gone, and said that nothing runs. */
  | 'left';

/** What becomes of such a run. */
export type AfterLoss =
  | { readonly type: 'waits'; readonly isLoss: boolean }
  | { readonly type: 'ends'; readonly execution: Execution };

/** With so many workers in turn a run is lost, no more. */
export const MAX_LOSSES = 3;

/** Decides what becomes of a run that was lost; `leads` is whether it can be handed out again. */
export function afterLoss({ facts: { hook }, phase, losses }: WorkRun, loss: RunLoss, leads: boolean): AfterLoss {
  const order = phase.type === 'handed' ? phase.order : undefined;
  if (order !== undefined) return { type: 'ends', execution: executionOfOrder(hook, order) };
  if (!leads) return lost(hook, 'this replica does not lead any more, and its worker has ended it');
  const isLoss = loss === 'silent' || loss === 'dropped';
  if (isLoss && losses + 1 >= MAX_LOSSES) return lost(hook, LOST_AGAIN);
  return { type: 'waits', isLoss };
}

const LOST_AGAIN = `${MAX_LOSSES} workers in turn were lost, or dropped it, while they had it: it may kill its workers, as by using more memory than they have; see the log of the workers, give them more memory, or run it with executor: job`;

function lost(hook: string, reason: string): AfterLoss {
  return { type: 'ends', execution: failedRun(hook, NO_EXIT, { reason, by: 'environment', isCutOff: true }) };
}

function executionOfOrder(hook: string, { type, why }: EndOrder): Execution {
  return cutOff(hook, why, type === 'overtime' ? { ...NO_EXIT, timedOut: true } : { ...NO_EXIT, signal: 'SIGTERM' });
}

/** What a worker sent of its hook, as the result of an executor. */
export function executionOfWork(hook: string, result: RemoteResult): Execution {
  if (result.type === 'exited' || result.type === 'failed') return executionOfResult(hook, result);
  return unreadable(hook, `its worker sent a result of the type ${result.type}, as only the sidecar of a Job does`);
}

/** The result of a run that no worker has begun, and that the replica does not hand out any more. */
export function leadsNoMore(hook: string): Execution {
  return notRun(hook, 'this replica does not lead any more');
}
