import { KubeError } from '../../errors.ts';
import { isConflict, isForbidden, isLost, isUnknownResource } from '../../kube/api-error.ts';
import { withoutMissingRight } from '../../kube/missing-right.ts';
import { policyRuleText } from '../../kube/policy-rule.ts';
import type { ChildProblem } from './problem.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { messageOf } from '../../lib/message-of.ts';

/** The problem of a child whose write failed. */
export function problemOf(child: string, resource: ResourceKind, error: unknown): ChildProblem {
  const message = messageOf(error);
  const of = `${resource.plural}${resource.group === '' ? '' : `.${resource.group}`}`;
  if (isForbidden(error) && !isQuota(message)) {
    const rule = policyRuleText({ apiGroup: resource.group, resource: resource.plural, verbs: VERBS });
    const help = `hooklet needs get, list, watch, create, patch and delete on ${of}: ${rule}`;
    return { type: 'forbidden', child, message: `${withoutMissingRight(message)}; ${help}` };
  }
  if (isUnknownResource(error))
    return { type: 'kind', child, message: `the API server does not have ${of}: ${message}` };
  if (isLost(error) || isTooMany(error)) return { type: 'lost', child, message };
  if (isConflict(error)) return { type: 'changed', child, message };
  return { type: 'refused', child, message };
}

const VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** Admission also refuses with 403, and then no right is missing. */
function isQuota(message: string): boolean {
  return /exceeded quota|admission webhook|violates PodSecurity|being terminated|is forbidden: ValidatingAdmissionPolicy/.test(
    message,
  );
}

function isTooMany(error: unknown): boolean {
  return error instanceof KubeError && error.status === 429;
}

/** The problem of a child whose name another object has. */
export function takenProblem(child: string, of: string): ChildProblem {
  const message = `there is a ${of} of this name that hooklet did not make for this parent, so it is not touched: delete it or give it another name`;
  return { type: 'taken', child, message };
}

/** The object with the uid is gone: nothing is there, or another object. */
export function isReplaced(error: unknown): boolean {
  if (isConflict(error)) return error instanceof Error && error.message.includes('uid mismatch');
  return error instanceof KubeError && error.status === 422 && /metadata\.uid:.*field is immutable/.test(error.message);
}
