import { EPOCH_HEADER, parseEpoch } from '../../hook/remote-wire.ts';
import { shown } from '../../lib/shown.ts';
import type { HttpAnswer, RequestHead } from '../answering.ts';
import { badAnswer } from './answers.ts';

/** The epoch in the header of a request, or the answer to one that has none. */
export function epochOf({
  headers,
}: Pick<RequestHead, 'headers'>):
  | { readonly type: 'read'; readonly value: number }
  | { readonly type: 'wrong'; readonly answer: HttpAnswer } {
  const got = headers[EPOCH_HEADER];
  const value = parseEpoch(got);
  if (value !== undefined) return { type: 'read', value };
  const received = got === undefined ? 'nothing' : shown(got);
  const problem = `the header Hooklet-Epoch: got ${received}, expected the epoch of the claim`;
  return { type: 'wrong', answer: badAnswer(400, problem) };
}
