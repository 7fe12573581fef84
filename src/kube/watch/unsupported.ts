import { KubeError } from '../../errors.ts';

/** Whether the server does not support a way to list, as opposed to being unavailable. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof KubeError && [400, 405, 406, 415, 422, 501].includes(error.status);
}
