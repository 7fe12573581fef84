import { json, type ApiRequest, type Reply } from './api-request.ts';
import { FAULT_TYPES, type Fault, type Faults } from './faults.ts';
import { isJsonArray, isJsonObject } from './json.ts';
import { badRequest, methodNotAllowed } from './status-error.ts';

/** The path that controls faults, outside the Kubernetes API. */
export const FAULTS_PATH = '/sandbox/faults';

/**
 * Controls faults over HTTP. `POST /sandbox/faults` adds one fault, or an array of them; `GET` lists the faults that
 * can still strike; `DELETE` clears them. A fault has the form that `Faults.add` takes, for example
 * `{"type":"status","code":429,"retryAfterSeconds":1,"method":"GET","path":"/api/v1/pods","times":2}`.
 */
export function answerFaultRequest(faults: Faults, request: ApiRequest): Reply {
  switch (request.method) {
    case 'GET':
      return json(faults.active.map((fault) => ({ ...fault })));
    case 'DELETE':
      faults.clear();
      return json([]);
    case 'POST':
      for (const fault of parseFaults(request.body)) faults.add(fault);
      return json(
        faults.active.map((fault) => ({ ...fault })),
        201,
      );
    default:
      throw methodNotAllowed();
  }
}

function parseFaults(body: string): readonly Fault[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw badRequest('a fault, or an array of faults, is expected as JSON');
  }
  return (isJsonArray(parsed) ? parsed : [parsed]).map((fault) => {
    if (isFault(fault)) return fault;
    throw badRequest(`a fault needs one of the types ${FAULT_TYPES.join(', ')}: ${JSON.stringify(fault)}`);
  });
}

function isFault(value: unknown): value is Fault {
  return isJsonObject(value) && FAULT_TYPES.some((type) => type === value['type']);
}
