import { isConflict, isAlreadyExists, isMissing } from '../../api-error.ts';
import { apiPath } from '../../api-path.ts';
import { withNeededRule } from '../../missing-right.ts';
import { asJsonObject, malformed, text } from '../../object.ts';
import type { SliceHash } from '../../../lib/slice-hash.ts';
import type { LeasePlace, LeaseRequestOptions } from '../lease.ts';
import {
  assignmentText,
  readAssignment,
  type Assignment,
  type AssignmentPlace,
  type AssignmentText,
} from './assignment.ts';

/** The assignment as it was read or written, with the ConfigMap that a change of it is based on. */
export interface StoredAssignment {
  /** Undefined where there is no ConfigMap. */
  readonly object: Readonly<Record<string, unknown>> | undefined;
  readonly content: AssignmentText | { readonly type: 'missing' };
}

/** Reads and writes the ConfigMap that says who has which slice. */
export interface AssignmentStore {
  read(options: LeaseRequestOptions): Promise<StoredAssignment>;
  /** Returns undefined when somebody else has written since `before` was read. */
  write(
    assignment: Assignment,
    before: StoredAssignment,
    options: LeaseRequestOptions,
  ): Promise<StoredAssignment | undefined>;
}

const KEY = 'slices.json';
const MAX_BYTES = 4 * 1024 * 1024;
const RULE = { apiGroup: '', resource: 'configmaps', verbs: ['get', 'create', 'update'] };

/** Returns the store of the ConfigMap `<name>-slices`; a 403 is rejected with the rule that a Role must grant. */
export function assignmentStore(hash: SliceHash, { client, namespace, name }: LeasePlace): AssignmentStore {
  const configMap = `${name}-slices`;
  const place = { hash, where: `ConfigMap ${namespace}/${configMap}, key ${KEY}` };
  const folder = apiPath('api', 'v1', 'namespaces', namespace, 'configmaps');
  const path = apiPath('api', 'v1', 'namespaces', namespace, 'configmaps', configMap);
  const refused = (error: unknown): unknown => withNeededRule(error, { namespace, rule: RULE });
  return {
    async read({ signal, timeoutMs }) {
      try {
        return storedIn(await client.request({ method: 'GET', path, timeoutMs, maxBytes: MAX_BYTES }, signal), place);
      } catch (error) {
        if (isMissing(error)) return { object: undefined, content: { type: 'missing' } };
        throw refused(error);
      }
    },
    async write(assignment, { object }, { signal, timeoutMs }) {
      const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: configMap }, ...object };
      const data = { ...asJsonObject(object?.['data']), [KEY]: assignmentText(hash, assignment) };
      const change =
        object === undefined ? ({ method: 'POST', path: folder } as const) : ({ method: 'PUT', path } as const);
      const body = JSON.stringify({ ...named, data });
      try {
        return storedIn(await client.request({ ...change, body, timeoutMs, maxBytes: MAX_BYTES }, signal), place);
      } catch (error) {
        if (isConflict(error) || isAlreadyExists(error) || (isMissing(error) && object !== undefined)) return undefined;
        throw refused(error);
      }
    },
  };
}

function storedIn(answer: unknown, place: AssignmentPlace): StoredAssignment {
  const object = asJsonObject(answer);
  // Without it a write would replace whatever is there.
  if (text(asJsonObject(object['metadata'])['resourceVersion']) === '') {
    throw malformed('a ConfigMap without a resourceVersion');
  }
  return { object, content: readAssignment(text(asJsonObject(object['data'])[KEY]), place) };
}
