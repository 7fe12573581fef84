import { numberAt, objectAt, textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { forbidden, StatusError } from '../status-error.ts';
import type { Attributes } from './attributes.ts';
import type { Webhook } from './registrations.ts';

/** The refusal of a request that a webhook denied. */
export function denied({ name }: Webhook, response: JsonObject): StatusError {
  const status = objectAt(response, 'status');
  const [message, reason] = [textAt(status, 'message'), textAt(status, 'reason')];
  const why = message || reason;
  const code = numberAt(status, 'code') ?? 0;
  return new StatusError({
    code: code < 400 ? 400 : code,
    message: `admission webhook "${name}" denied the request${why === '' ? ' without explanation' : `: ${why}`}`,
    ...(reason === '' ? {} : { reason }),
    ...(status['details'] === undefined ? {} : { details: objectAt(status, 'details') }),
  });
}

/** The refusal of a request for which a webhook could not be asked. */
export function callFailed({ name }: Webhook, problem: string): StatusError {
  return internalError(`failed calling webhook "${name}": ${problem}`);
}

/** 500 with the given message as its cause. */
export function internalError(problem: string): StatusError {
  return new StatusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${problem}`,
    details: { causes: [{ message: problem }] },
  });
}

/** The refusal of a request for which match conditions could not be evaluated. */
export function conditionsFailed({ resource, name }: Attributes, problem: string): StatusError {
  return forbidden(resource, name, problem);
}
