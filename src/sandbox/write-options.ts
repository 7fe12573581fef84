import { parse as parseYaml } from 'yaml';
import type { ApiRequest } from './api-request.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { badRequest, invalid, unsupportedValue } from './status-error.ts';

/** What the query of a write asks for. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly force: boolean;
  /** Whether unknown fields are refused. */
  readonly strict: boolean;
}

/** Reads the query of a write; `optionsKind` names the options in a refusal. */
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
  };
}

function managerOf(userAgent: string | undefined): string {
  const name = (userAgent ?? '').split('/', 1).join('');
  return name === '' ? 'unknown' : name.slice(0, 128);
}

/** The object in the body of a create or an update, in JSON or YAML. */
export function parseObjectBody(request: ApiRequest, kindName: string): JsonObject {
  const value = parseBody(request, kindName);
  if (isJsonObject(value)) return value;
  throw badRequest(`the object provided is unrecognized (must be of type ${kindName})`);
}

/** Whatever the body holds, in JSON or YAML. */
export function parseBody(request: ApiRequest, kindName: string): unknown {
  try {
    const parsed: unknown = isYaml(request) ? parseYaml(request.body) : JSON.parse(request.body);
    return parsed;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kindName}): couldn't get version/kind; json parse error: ${problem}`,
    );
  }
}

function isYaml(request: ApiRequest): boolean {
  return (request.headers['content-type'] ?? '').includes('yaml');
}
