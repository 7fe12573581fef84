import type { DeskCaller } from '../../hook/remote-run.ts';
import type { WorkDesk } from '../../hook/work-desk.ts';
import { parseWorkPath, WORKERS_PATH } from '../../hook/work-path.ts';
import type { HttpAnswer, HttpRoute, RequestHead } from '../answering.ts';
import type { SourceSlots } from '../source-slots.ts';
import { answering, textAnswer } from './answers.ts';
import type { Callers } from './callers.ts';
import { routeOf, type Asked } from './endpoint.ts';
import { epochOf } from './epoch-header.ts';
import { workEndpoints } from './work-endpoints.ts';

/** What answers workers. */
export interface Work {
  readonly desk: WorkDesk;
  /** Whether a Pod may be a worker, by its ServiceAccount; asked at each request, before the desk is. */
  readonly mayWork: (caller: DeskCaller) => boolean;
}

export interface WorkRoutesOptions extends Work {
  readonly callers: Callers;
  readonly results: SourceSlots;
}

/** Whether a path is one of workers. */
export function isOfWorkers(path: string): boolean {
  return path === WORKERS_PATH || path.startsWith(`${WORKERS_PATH}/`);
}

/** The answer to all workers where there are none. */
export const NO_WORKERS: HttpRoute = answering(
  textAnswer(404, 'hooklet: no hook has executor: workers here, so no worker is answered'),
);

/** The routes of what workers ask. */
export function workRoutes(options: WorkRoutesOptions): (head: RequestHead) => HttpRoute {
  const { desk, callers, results } = options;
  const { hello, ofWorker, ofRun } = workEndpoints(desk, results);
  const mayAsk = (caller: DeskCaller): HttpAnswer | undefined =>
    options.mayWork(caller) ? undefined : notWorker(caller);
  return (head) => {
    const route = <Ticket>(asked: Asked<Ticket>): HttpRoute => routeOf(head, callers, { ...asked, mayAsk });
    const asked = parseWorkPath(head.path);
    if (asked === undefined) return answering(NOWHERE);
    if (asked.type === 'hello') return route({ endpoint: hello, ticketOf: (caller) => ({ caller }) });
    const { worker } = asked;
    if (!('runId' in asked)) {
      return route({ endpoint: ofWorker[asked.type], ticketOf: (caller) => ({ worker, caller }) });
    }
    const { type, runId } = asked;
    const epoch = epochOf(head);
    if (epoch.type === 'wrong') return answering(epoch.answer);
    const ticketOf = (caller: DeskCaller) => ({ worker, caller, runId, epoch: epoch.value });
    return route({ endpoint: ofRun[type], ticketOf });
  };
}

const NOWHERE = textAnswer(
  404,
  'hooklet: nothing is here, expected /v1/workers, /v1/workers/<name>/<what is asked> or /v1/workers/<name>/runs/<id>/<what is asked>',
);

function notWorker({ namespace, account }: DeskCaller): HttpAnswer {
  return textAnswer(
    403,
    `hooklet: the ServiceAccount ${namespace}/${account} may not work, expected that of --workers-account: see serviceAccountName of the Pod`,
  );
}
