import { present } from './json-fields.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { groupKind, groupResource, type ServedKind } from './kind.ts';

/** A refusal; the client gets it as a `Status`. */
export class StatusError extends Error {
  readonly code: number;
  readonly status: JsonObject;
  readonly retryAfterSeconds: number | undefined;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'StatusError';
    this.code = refusal.code;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: refusal.metadata ?? {},
      status: 'Failure',
      message: refusal.message,
      ...present({ reason: refusal.reason, details: detailsOf(refusal) }),
      code: refusal.code,
    };
  }
}

/** The content of a `Status`. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly reason?: string;
  readonly details?: JsonObject;
  readonly retryAfterSeconds?: number;
  readonly metadata?: JsonObject;
}

/** One invalid field. */
export interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

function detailsOf(refusal: Refusal): JsonObject | undefined {
  if (refusal.retryAfterSeconds === undefined) return refusal.details;
  return { ...refusal.details, retryAfterSeconds: refusal.retryAfterSeconds };
}

function resourceDetails(kind: ServedKind, name: string): JsonObject {
  return present({
    name: name === '' ? undefined : name,
    group: kind.group === '' ? undefined : kind.group,
    kind: kind.plural,
  });
}

/** 404 for an object. */
export function notFound(kind: ServedKind, name: string): StatusError {
  const message = `${groupResource(kind)} "${name}" not found`;
  return new StatusError({ code: 404, reason: 'NotFound', message, details: resourceDetails(kind, name) });
}

/** 404 for a path below a served group. */
export function noSuchResource(): StatusError {
  const message = 'the server could not find the requested resource';
  return new StatusError({ code: 404, reason: 'NotFound', message, details: {} });
}

/** 405 for a verb that the resource does not have. */
export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

/** 409 for a create of an object that exists. */
export function alreadyExists(kind: ServedKind, name: string): StatusError {
  const message = `${groupResource(kind)} "${name}" already exists`;
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details: resourceDetails(kind, name) });
}

/** 409 with the given explanation. */
export function conflict(kind: ServedKind, name: string, explanation: string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResource(kind)} "${name}": ${explanation}`;
  return new StatusError({ code: 409, reason: 'Conflict', message, details: resourceDetails(kind, name) });
}

/** 409 for a write that is based on an old resourceVersion. */
export function modifiedMeanwhile(kind: ServedKind, name: string): StatusError {
  const explanation = 'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(kind, name, explanation);
}

/** 403 by an admission rule. */
export function forbidden(kind: ServedKind, name: string, explanation: string, causes?: readonly Cause[]): StatusError {
  const subject = name === '' ? groupResource(kind) : `${groupResource(kind)} "${name}"`;
  const details = {
    ...resourceDetails(kind, name),
    ...(causes === undefined ? {} : { causes: causes.map(causeJson) }),
  };
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: ${explanation}`,
    details,
  });
}

/** 400 with the given message. */
export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message });
}

/** 422 with all the causes at once. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  causes: readonly Cause[],
): StatusError {
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const details = present({
    name: name === '' ? undefined : name,
    group: kind.group === '' ? undefined : kind.group,
    kind: kind.kind === '' ? undefined : kind.kind,
    causes: causes.map(causeJson),
  });
  const message = `${groupKind(kind)} "${name}" is invalid: ${list}`;
  return new StatusError({ code: 422, reason: 'Invalid', message, details });
}

/** 410 for a resourceVersion that the history does not reach back to. */
export function expired(message: string, metadata?: JsonObject): StatusError {
  return new StatusError({ code: 410, reason: 'Expired', message, ...(metadata === undefined ? {} : { metadata }) });
}

function causeJson(cause: Cause): JsonObject {
  return { reason: cause.reason, message: cause.message, field: cause.field };
}

/** The cause for a value that breaks a rule. */
export function invalidValue(field: string, value: JsonValue, rule: string): Cause {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${rule}` };
}

/** The cause for a missing value. */
export function requiredValue(field: string, rule = ''): Cause {
  return { field, reason: 'FieldValueRequired', message: rule === '' ? 'Required value' : `Required value: ${rule}` };
}

/** The cause for a value that is not allowed here. */
export function forbiddenValue(field: string, rule: string): Cause {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${rule}` };
}

/** The cause for a value that is not one of the supported ones. */
export function unsupportedValue(field: string, value: JsonValue, supported: readonly string[]): Cause {
  const offers = supported.map((offer) => JSON.stringify(offer)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${offers}`;
  return { field, reason: 'FieldValueNotSupported', message };
}
