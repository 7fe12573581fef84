import { numberAt, textAt } from './json-fields.ts';
import { isJsonObject } from './json.ts';
import { badRequest } from './status-error.ts';

/** The position at which a paged list continues. */
export interface ContinueToken {
  /** The revision of the first page; -1 continues with the current objects. */
  readonly revision: number;
  /** The key of the last object that was sent. */
  readonly after: string;
}

/** Encodes a position as the opaque `continue` token. */
export function continueToken(revision: number, after: string): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${after}\0` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Decodes a `continue` token; throws the server's 400 if it is invalid. */
export function parseContinueToken(text: string): ContinueToken {
  let token: unknown;
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw badRequest('invalid continue token: continue key is not valid: illegal base64 data at input byte 0');
  }
  const revision = isJsonObject(token) ? numberAt(token, 'rv') : undefined;
  if (!isJsonObject(token) || revision === undefined) {
    throw badRequest('invalid continue token: continue key is not valid: incorrect encoded start resourceVersion');
  }
  return { revision, after: textAt(token, 'start').replace(/\0$/, '') };
}
