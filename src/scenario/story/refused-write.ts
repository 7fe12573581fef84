import { isJsonObject } from '@hooklet/sandbox';
import { shown } from '../../lib/shown.ts';
import { actionText } from '../live/action-text.ts';
import type { Acted, Action } from '../world.ts';

/** That the API server refused what a story writes, which changed nothing then; undefined for all else. */
export function refusedWrite(action: Action, { code, body }: NonNullable<Acted['answer']>): string | undefined {
  if (code < 400 || !['apply', 'patch', 'delete'].includes(action.type)) return undefined;
  const message = isJsonObject(body) ? body['message'] : body;
  return `${actionText(action)} was refused with ${code}: ${shown(message, 500)}; where that is meant, expect answer: {code: ${code}}`;
}
