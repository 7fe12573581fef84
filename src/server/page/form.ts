import type { HttpRequest } from '../answering.ts';

/** How large a form may be: a token is the longest thing in one. */
export const MAX_FORM_BYTES = 16 * 1024;

/** The fields of a form that was sent. */
export function formOf({ body }: HttpRequest): URLSearchParams {
  return new URLSearchParams(body.toString('utf8'));
}
