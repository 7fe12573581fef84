import { valuesIn } from '../lib/json-scan.ts';

/** Takes room for the values of a large review; returns how to give it back, or undefined where there is none. */
export type ReviewRoom = (values: number) => (() => void) | undefined;

/** Why a review is not looked at; with 503 the caller may try again. */
export interface NoRoom {
  readonly status: 413 | 503;
  readonly message: string;
}

/** Reviews with more values than this share their room. */
const FEW_VALUES = 20_000;

/**
 * Takes room for a review of at most `maxValues` values before anything parses it: as objects it may take a hundred
 * times its text, here or in a hook. Returns how to give the room back.
 */
export function takeRoom(body: Uint8Array, maxValues: number, room: ReviewRoom): (() => void) | NoRoom {
  const values = valuesIn(body, maxValues);
  if (values > maxValues) return { status: 413, message: `the review has more than ${maxValues} values` };
  if (values <= FEW_VALUES) return () => {};
  return room(values) ?? { status: 503, message: 'too many large reviews are answered at once' };
}
