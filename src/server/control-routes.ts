import { HookletError, UsageError } from '../errors.ts';
import type { ScheduleControl } from '../hook/schedule-control.ts';
import { answerOutcomes, type OutcomeRouteOptions } from './outcome-routes.ts';
import { scheduleDocument, type ScheduleDocument } from './schedule-document.ts';

export interface ControlRouteOptions extends OutcomeRouteOptions {
  readonly schedules: ScheduleControl;
  /**
   * Returns why schedules cannot be changed here, such as on a replica that is not the leader; undefined when they can.
   */
  readonly refusal: () => string | undefined;
}

/** The answer to a request; the body is JSON. */
export interface ControlAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly allow?: string;
}

/** The answer to `GET /schedules`. */
export interface ScheduleList {
  readonly schedules: readonly ScheduleDocument[];
  /** Why schedules cannot be changed here. */
  readonly note?: string;
}

const PATH = /^\/schedules\/([^/]+)\/([^/]+)\/(trigger|suspend|resume)$/;

/** Answers one request to the control socket. Expected failures are answers with a status; only other errors reject. */
export async function answerControl(
  method: string,
  path: string,
  options: ControlRouteOptions,
  query: URLSearchParams = new URLSearchParams(),
): Promise<ControlAnswer> {
  const outcomes = await answerOutcomes({ method, path, query }, options);
  if (outcomes !== undefined) return outcomes;
  const { schedules, refusal } = options;
  if (path === '/schedules') return method === 'GET' ? list(schedules, refusal()) : notAllowed('GET');
  const [, hook, binding, action] = PATH.exec(path) ?? [];
  if (action === undefined) return failure(404, `nothing at ${path}`);
  if (method !== 'POST') return notAllowed('POST');
  const target = decoded({ hook, binding });
  if (target === undefined) return failure(400, `${path} is not an escaped path`);
  const refused = refusal();
  return refused === undefined ? change(action, target, schedules) : failure(409, refused);
}

function list(schedules: ScheduleControl, note: string | undefined): ControlAnswer {
  const body: ScheduleList = {
    schedules: schedules.list().map(scheduleDocument),
    ...(note !== undefined && { note }),
  };
  return { status: 200, body };
}

interface Target {
  readonly hook: string;
  readonly binding: string;
}

async function change(action: string, target: Target, schedules: ScheduleControl): Promise<ControlAnswer> {
  try {
    return await carryOut(action, target, schedules);
  } catch (error) {
    if (error instanceof UsageError) return failure(404, error.message);
    if (error instanceof HookletError) return failure(503, error.message);
    throw error;
  }
}

async function carryOut(action: string, { hook, binding }: Target, schedules: ScheduleControl): Promise<ControlAnswer> {
  if (action === 'trigger') return { status: 202, body: { runId: await schedules.trigger(hook, binding) } };
  await (action === 'suspend' ? schedules.suspend(hook, binding) : schedules.resume(hook, binding));
  const status = schedules.list().find((one) => one.hook === hook && one.binding === binding);
  return { status: 200, body: status === undefined ? {} : { schedule: scheduleDocument(status) } };
}

/** Hook names may contain slashes, so path segments are escaped. */
function decoded({ hook = '', binding = '' }: Readonly<Record<keyof Target, string | undefined>>): Target | undefined {
  try {
    return { hook: decodeURIComponent(hook), binding: decodeURIComponent(binding) };
  } catch {
    return undefined;
  }
}

function notAllowed(allow: string): ControlAnswer {
  return { ...failure(405, `only ${allow} here`), allow };
}

function failure(status: number, error: string): ControlAnswer {
  return { status, body: { error } };
}
