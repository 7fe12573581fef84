import type { JsonObject } from '../json.ts';

/** The content of the `Status` that refuses a patch. `reason` is empty if the server gives none. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: JsonObject;
}

/** Thrown for a patch that cannot be applied; the caller answers with a `Status` of these fields. */
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

/** The patch is well-formed but does not fit the object; the real server does not name the cause. */
export function unprocessable(): PatchRefused {
  const message = 'the server rejected our request due to an error in our request';
  return new PatchRefused({ code: 422, reason: 'Invalid', message, details: {} });
}

/** A failure that the real server reports without a reason. */
export function internal(message: string): PatchRefused {
  return new PatchRefused({ code: 500, reason: '', message });
}
