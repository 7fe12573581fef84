import type { ApiRequest } from './api-request.ts';
import { at, numberAt, present, textAt, textsAt } from './json-fields.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { badRequest, invalid, invalidValue, unsupportedValue, type Cause } from './status-error.ts';
import { parseBody } from './write-options.ts';

/** What a delete does to the objects that name the deleted one as their owner. */
export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** The options of a delete, from its body or its query. */
export interface DeleteOptions {
  readonly propagation: Propagation | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly dryRun: boolean;
  /** The options as webhooks are told of them, without kind. */
  readonly given: JsonObject;
}

/** Reads the options of a delete; throws the server's 422 if they are invalid. */
export function parseDeleteOptions(request: ApiRequest): DeleteOptions {
  const body = request.body.trim() === '' ? {} : parseBody(request, 'DeleteOptions');
  const options = isJsonObject(body) ? body : {};
  const kind = textAt(options, 'kind');
  if (kind !== '' && kind !== 'DeleteOptions') {
    const version = textAt(options, 'apiVersion');
    throw badRequest(`no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`);
  }
  const policy = textAt(options, 'propagationPolicy') || (request.query.get('propagationPolicy') ?? '');
  const orphan = at(options, 'orphanDependents') ?? queryBoolean(request.query.get('orphanDependents'));
  const dryRun = [...textsAt(options, 'dryRun'), ...request.query.getAll('dryRun')];
  const causes = optionCauses(policy, orphan, dryRun);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes);
  const gracePeriodSeconds = gracePeriod(options, request.query.get('gracePeriodSeconds'));
  return {
    propagation: propagationOf(policy, orphan),
    gracePeriodSeconds,
    given: presentTexts({
      gracePeriodSeconds,
      preconditions: at(options, 'preconditions'),
      orphanDependents: orphan,
      propagationPolicy: policy,
      dryRun,
    }),
    uid: textAt(options, 'preconditions', 'uid'),
    resourceVersion: textAt(options, 'preconditions', 'resourceVersion'),
    dryRun: dryRun.length > 0,
  };
}

/** The fields that say something. */
function presentTexts(fields: { readonly [name: string]: JsonValue | undefined }): JsonObject {
  const said = Object.entries(fields).filter(
    ([, value]) => value !== '' && !(isJsonArray(value) && value.length === 0),
  );
  return present(Object.fromEntries(said));
}

function queryBoolean(value: string | null): boolean | undefined {
  return value === null ? undefined : value === 'true';
}

function optionCauses(policy: string, orphan: unknown, dryRun: readonly string[]): readonly Cause[] {
  const causes: Cause[] = [];
  if (!['', 'Background', 'Foreground', 'Orphan'].includes(policy)) {
    causes.push(unsupportedValue('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  if (policy !== '' && orphan !== undefined) {
    const rule = 'orphanDependents and deletionPropagation cannot be both set';
    causes.push(invalidValue('propagationPolicy', policy, rule));
  }
  const unknown = dryRun.filter((value) => value !== 'All');
  if (unknown.length > 0) causes.push(unsupportedValue('dryRun', unknown, ['All']));
  return causes;
}

function propagationOf(policy: string, orphan: unknown): Propagation | undefined {
  if (policy === 'Background' || policy === 'Foreground' || policy === 'Orphan') return policy;
  if (orphan === undefined) return undefined;
  return orphan === true ? 'Orphan' : 'Background';
}

function gracePeriod(options: JsonObject, query: string | null): number | undefined {
  const seconds = numberAt(options, 'gracePeriodSeconds') ?? (query === null ? undefined : Number(query));
  // The server treats a negative period as one second.
  return seconds === undefined || seconds >= 0 ? seconds : 1;
}
