import type { JobDesk } from '../../hook/job-desk.ts';
import { parseJobPath } from '../../hook/job-wire.ts';
import type { DeskCaller } from '../../hook/remote-run.ts';
import type { HttpRoute, RequestHead } from '../answering.ts';
import type { SourceSlots } from '../source-slots.ts';
import { answering, textAnswer } from './answers.ts';
import type { Callers } from './callers.ts';
import { routeOf } from './endpoint.ts';
import { epochOf } from './epoch-header.ts';
import { jobEndpoints } from './job-endpoints.ts';

export interface JobRoutesOptions {
  readonly desk: JobDesk;
  readonly callers: Callers;
  readonly results: SourceSlots;
}

/** The routes of what Pods of Jobs ask. */
export function jobRoutes({ desk, callers, results }: JobRoutesOptions): (head: RequestHead) => HttpRoute {
  const { claim, run } = jobEndpoints(desk, results);
  return (head) => {
    const asked = parseJobPath(head.path);
    if (asked === undefined) return answering(NOWHERE);
    const { job, what } = asked;
    if (what === 'claim') {
      return routeOf(head, callers, { endpoint: claim, ticketOf: (caller) => ({ job, caller }) });
    }
    const epoch = epochOf(head);
    if (epoch.type === 'wrong') return answering(epoch.answer);
    const ticketOf = (caller: DeskCaller) => ({ job, caller, epoch: epoch.value });
    return routeOf(head, callers, { endpoint: run[what], ticketOf });
  };
}

const NOWHERE = textAnswer(404, 'hooklet: nothing is here, expected /v1/jobs/<name of a Job>/<what is asked>');
