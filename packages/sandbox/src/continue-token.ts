import { numberAt, textAt } from './json-fields.ts';
import { isJsonObject } from './json.ts';
import { badRequest } from './status-error.ts';

/** Where a paged list goes on. */
export interface ContinueToken {
  /** The revision of the first page; -1 goes on with what is there now. */
  readonly revision: number;
  /** The key of the last object that was sent. */
  readonly after: string;
}

/** The opaque text of a position. */
export function continueToken(revision: number, after: string): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${after}\0` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Reads a position back; throws the server's 400 where it is none. */
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
