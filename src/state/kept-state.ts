import type { Refused } from './store.ts';

/** Where `Kept` stands with its store; the head of `kept.ts` says what is true in each. */
export type KeptState<T> =
  | { readonly type: 'unasked' }
  | { readonly type: 'reading' }
  | { readonly type: 'open'; readonly stored: ReadonlyMap<string, T> }
  | { readonly type: 'unreachable'; readonly error: unknown }
  | { readonly type: 'refused'; readonly refusal: Refused }
  | { readonly type: 'offering'; readonly refusal: Refused };

/** What a turn came to. */
export type Outcome<T> =
  | { readonly type: 'open'; readonly stored: ReadonlyMap<string, T> }
  | { readonly type: 'conflict' }
  | Refused
  | { readonly type: 'failed'; readonly error: unknown };

/** The state after a turn that began in `before`. */
export function nextState<T>(before: KeptState<T>, outcome: Outcome<T>): KeptState<T> {
  const isOffer = before.type === 'offering';
  switch (outcome.type) {
    case 'open':
      return outcome;
    case 'conflict':
      return isOffer ? before : { type: 'reading' };
    case 'refused':
      return { type: 'refused', refusal: outcome };
    case 'failed':
      return isOffer ? { ...before, type: 'refused' } : { type: 'unreachable', error: outcome.error };
  }
}

/** Why records are not persisted as they should be; undefined when all is well. */
export function problemOf(state: KeptState<unknown>, place: string): string | undefined {
  switch (state.type) {
    case 'refused':
    case 'offering':
      return `${place}: ${messageOf(state.refusal.error)}; it takes ${state.refusal.advice}`;
    case 'unreachable':
      return `${place}: ${messageOf(state.error)}`;
    case 'unasked':
    case 'reading':
    case 'open':
      return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
