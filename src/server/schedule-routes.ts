import type { ScheduleControl } from '../hook/schedule-control.ts';
import {
  answered,
  decodedParts,
  failure,
  notAllowed,
  type ControlAnswer,
  type ControlRoute,
} from './control-answer.ts';
import { scheduleDocument, type ScheduleDocument } from './schedule-document.ts';

export interface ScheduleRouteOptions {
  readonly schedules: ScheduleControl;
  /**
   * Returns why schedules cannot be changed here, such as on a replica that is not the leader; undefined when they can.
   */
  readonly refusal: () => string | undefined;
}

/** The answer to `GET /schedules`. */
export interface ScheduleList {
  readonly schedules: readonly ScheduleDocument[];
  /** Why schedules cannot be changed here. */
  readonly note?: string;
}

const PATH = /^\/schedules\/([^/]+)\/([^/]+)\/(trigger|suspend|resume)$/;

/** `GET /schedules`, and `POST /schedules/HOOK/BINDING/…`. */
export function scheduleRoute({ schedules, refusal }: ScheduleRouteOptions): ControlRoute {
  return async ({ method, path }) => {
    if (path === '/schedules') return method === 'GET' ? list(schedules, refusal()) : notAllowed('GET');
    const [, hook = '', binding = '', action] = PATH.exec(path) ?? [];
    if (action === undefined) return undefined;
    if (method !== 'POST') return notAllowed('POST');
    const target = decodedParts(hook, binding);
    if (target === undefined) return failure(400, `${path} is not an escaped path`);
    const refused = refusal();
    if (refused !== undefined) return failure(409, refused);
    return answered(async () => carryOut(action, target, schedules));
  };
}

function list(schedules: ScheduleControl, note: string | undefined): ControlAnswer {
  const body: ScheduleList = {
    schedules: schedules.list().map(scheduleDocument),
    ...(note !== undefined && { note }),
  };
  return { status: 200, body };
}

async function carryOut(
  action: string,
  [hook = '', binding = '']: readonly string[],
  schedules: ScheduleControl,
): Promise<ControlAnswer> {
  if (action === 'trigger') return { status: 202, body: { runId: await schedules.trigger(hook, binding) } };
  await (action === 'suspend' ? schedules.suspend(hook, binding) : schedules.resume(hook, binding));
  const status = schedules.list().find((one) => one.hook === hook && one.binding === binding);
  return { status: 200, body: status === undefined ? {} : { schedule: scheduleDocument(status) } };
}
