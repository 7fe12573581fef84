import type { JsonObject } from '../json.ts';

/** What a refusal becomes on the wire: the fields of a `Status` object. `reason` is empty where the server gives none. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: JsonObject;
}

/** The patch cannot be applied; the caller answers with a `Status` of these fields. */
export class PatchRefused extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: JsonObject | undefined;

  constructor({ code, reason, message, details }: Refusal) {
    super(message);
    this.name = 'PatchRefused';
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

/** The patch document itself is malformed. */
export function badRequest(message: string): PatchRefused {
  return new PatchRefused({ code: 400, reason: 'BadRequest', message });
}

/** The patch is well-formed but does not fit the object; the real server keeps the cause to itself. */
export function unprocessable(): PatchRefused {
  const message = 'the server rejected our request due to an error in our request';
  return new PatchRefused({ code: 422, reason: 'Invalid', message, details: {} });
}

/** A failure that the real server reports without a reason. */
export function internal(message: string): PatchRefused {
  return new PatchRefused({ code: 500, reason: '', message });
}
