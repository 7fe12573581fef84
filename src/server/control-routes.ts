import type { OperatorView } from '../hook/operator-view.ts';
import { failure, type ControlAnswer, type ControlRequest, type ControlRoute } from './control-answer.ts';
import { outcomeRoute, type OutcomeRouteOptions } from './outcome-routes.ts';
import { runRoute } from './run-routes.ts';
import { scheduleRoute, type ScheduleRouteOptions } from './schedule-routes.ts';
import { viewRoute } from './view-routes.ts';

export interface ControlRouteOptions extends ScheduleRouteOptions, OutcomeRouteOptions {
  /** What can be asked about runs, queues and objects, on a standby too; absent: nothing. */
  readonly view?: OperatorView;
}

/** Answers one request to the control socket. Expected failures are answers with a status; only other errors reject. */
export async function answerControl(request: ControlRequest, options: ControlRouteOptions): Promise<ControlAnswer> {
  for (const route of routesOf(options)) {
    const answer = await route(request);
    if (answer !== undefined) return answer;
  }
  return failure(404, `nothing at ${request.path}`);
}

function routesOf({ view, ...options }: ControlRouteOptions): readonly ControlRoute[] {
  const views = view === undefined ? [] : [runRoute(view.runs, view.recordings), viewRoute(view)];
  return [scheduleRoute(options), outcomeRoute(options), ...views];
}
