import type { OperatorView } from '../hook/operator-view.ts';
import {
  answered,
  failure,
  notAllowed,
  type ControlAnswer,
  type ControlRequest,
  type ControlRoute,
} from './control-answer.ts';

const MAX_OBJECTS = 1000;
const OBJECT = '/objects/';

/** `GET /status`, `/queues`, `/objects?hook=`, `/objects/NS/NAME?hook=`, `/why?hook=&object=` and `/rights`. */
export function viewRoute(view: OperatorView): ControlRoute {
  return async (request) => {
    const { path, method } = request;
    const isOwn = ['/status', '/queues', '/objects', '/why', '/rights'].includes(path) || path.startsWith(OBJECT);
    if (!isOwn) return undefined;
    if (method !== 'GET') return notAllowed('GET');
    return answered(async () => answer(view, request));
  };
}

async function answer(view: OperatorView, { path, query, signal }: ControlRequest): Promise<ControlAnswer> {
  const hook = query.get('hook') ?? undefined;
  if (path === '/status') return { status: 200, body: { status: view.status() } };
  if (path === '/queues') return { status: 200, body: { queues: view.queues(), held: view.held() } };
  if (path === '/objects') return objects(view, hook);
  if (path === '/rights') return { status: 200, body: { ...view.seen() } };
  if (path !== '/why') return object(view, path.slice(OBJECT.length), hook);
  const meant = query.get('object');
  if (hook === undefined || meant === null) return failure(400, 'expected hook and object');
  return { status: 200, body: { why: await view.why(hook, meant, signal) } };
}

function objects(view: OperatorView, hook: string | undefined): ControlAnswer {
  const found = view.runs.objects(hook === undefined ? {} : { hook });
  return { status: 200, body: { objects: found.slice(0, MAX_OBJECTS), more: found.length > MAX_OBJECTS } };
}

/** The parts of an object's name are escaped one by one. */
function object(view: OperatorView, path: string, hook: string | undefined): ControlAnswer {
  let meant: string;
  try {
    meant = decodeURIComponent(path);
  } catch {
    return failure(400, `${path} is not an escaped path`);
  }
  return { status: 200, body: { object: view.object(meant, hook) } };
}
