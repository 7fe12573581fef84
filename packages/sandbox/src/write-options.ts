import type { ApiRequest } from './api-request.ts';
import { present } from './json-fields.ts';
import { isJsonArray, isJsonObject, type JsonObject } from './json.ts';
import { badRequest, invalid, unsupportedValue, StatusError } from './status-error.ts';
import { parseYaml } from './yaml.ts';

/** The options in the query of a write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly force: boolean;
  /** Whether unknown fields are refused. */
  readonly strict: boolean;
  /** The options as webhooks are told of them, without kind. */
  readonly given: JsonObject;
}

/** Reads the query of a write; `optionsKind` is the kind of the options in a refusal. */
export function parseWriteOptions(request: ApiRequest, optionsKind: string): WriteOptions {
  const { query, headers } = request;
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  const unknown = dryRun.filter((value) => value !== 'All');
  if (unknown.length > 0) {
    throw invalid({ group: 'meta.k8s.io', kind: optionsKind }, '', [unsupportedValue('dryRun', unknown, ['All'])]);
  }
  return {
    dryRun: dryRun.length > 0,
    fieldManager: query.get('fieldManager') ?? managerOf(headers['user-agent']),
    force: query.get('force') === 'true',
    strict: query.get('fieldValidation') === 'Strict',
    given: present({
      dryRun: dryRun.length > 0 ? dryRun : undefined,
      fieldManager: query.get('fieldManager') ?? undefined,
      fieldValidation: query.get('fieldValidation') ?? undefined,
    }),
  };
}

function managerOf(userAgent: string | undefined): string {
  const name = (userAgent ?? '').split('/', 1).join('');
  return name === '' ? 'unknown' : name.slice(0, 128);
}

/** Parses the object in the body of a create or an update, in JSON or YAML. */
export function parseObjectBody(request: ApiRequest, kindName: string): JsonObject {
  requireKnownType(request);
  const value = parseBody(request, kindName);
  if (isJsonObject(value)) return value;
  const found = isJsonArray(value) ? 'array' : value === null ? 'null' : typeof value;
  throw unrecognized(kindName, `json: cannot unmarshal ${found} into an object`, request.body);
}

const MEDIA_TYPES = ['application/json', 'application/yaml'];

function requireKnownType({ headers }: ApiRequest): void {
  const type = (headers['content-type'] ?? '').split(';', 1).join('').trim();
  if (type === '' || MEDIA_TYPES.includes(type)) return;
  const message = `the body of the request was in an unknown format - accepted media types include: ${MEDIA_TYPES.join(', ')}`;
  throw new StatusError({ code: 415, reason: 'UnsupportedMediaType', message });
}

/** Parses the body, in JSON or YAML. */
export function parseBody(request: ApiRequest, kindName: string): unknown {
  try {
    return parsed(request);
  } catch (error) {
    throw unrecognized(kindName, problemOf(error), request.body);
  }
}

/** Parses the patch in the body, in JSON or YAML. */
export function parsePatch(request: ApiRequest): unknown {
  try {
    return parsed(request);
  } catch (error) {
    const what = isYaml(request) ? 'error decoding YAML: error converting YAML to JSON: yaml' : 'error decoding patch';
    throw badRequest(`${what}: ${problemOf(error)}`);
  }
}

function parsed(request: ApiRequest): unknown {
  const value: unknown = isYaml(request) ? parseYaml(request.body) : JSON.parse(request.body);
  return value;
}

function isYaml({ headers }: ApiRequest): boolean {
  return (headers['content-type'] ?? '').includes('yaml');
}

function unrecognized(kindName: string, problem: string, body: string): StatusError {
  const shown = body === '' ? '<empty>' : body.slice(0, 100);
  return badRequest(
    `the object provided is unrecognized (must be of type ${kindName}): couldn't get version/kind; json parse error: ${problem} (${shown})`,
  );
}

function problemOf(error: unknown): string {
  const problem = error instanceof Error ? error.message : String(error);
  return problem === 'Unexpected end of JSON input' ? 'unexpected end of JSON input' : problem;
}
