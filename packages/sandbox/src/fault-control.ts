import { json, type ApiRequest, type Reply } from './api-request.ts';
import { FAULT_TYPES, type Fault, type Faults } from './faults.ts';
import { isJsonArray, isJsonObject } from './json.ts';
import { badRequest, methodNotAllowed } from './status-error.ts';

/** The path of the faults' own door, outside the Kubernetes API. */
export const FAULTS_PATH = '/sandbox/faults';

/**
 * Faults by HTTP: `POST /sandbox/faults` with one fault, or an array of them, adds them; `GET` lists those that are
 * still to strike; `DELETE` clears them. A fault is what `Faults.add` takes, for example
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
