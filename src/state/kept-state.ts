import type { Refused } from './store.ts';
import { messageOf } from '../lib/message-of.ts';

/** The state of `Kept`; the head of `kept.ts` says what holds in each. */
export type KeptState<T> =
  | { readonly type: 'idle' }
  | { readonly type: 'reading' }
  | { readonly type: 'open'; readonly stored: ReadonlyMap<string, T> }
  | { readonly type: 'unreachable'; readonly error: unknown }
  | { readonly type: 'refused'; readonly refusal: Refused }
  | { readonly type: 'overwriting'; readonly refusal: Refused };

/** The outcome of a turn. */
export type Outcome<T> =
  | { readonly type: 'open'; readonly stored: ReadonlyMap<string, T> }
  | { readonly type: 'conflict' }
  | Refused
  | { readonly type: 'failed'; readonly error: unknown };

/** Returns the state after a turn that began in `before`. */
export function nextState<T>(before: KeptState<T>, outcome: Outcome<T>): KeptState<T> {
  const isOverwrite = before.type === 'overwriting';
  switch (outcome.type) {
    case 'open':
      return outcome;
    case 'conflict':
      return isOverwrite ? before : { type: 'reading' };
    case 'refused':
      return { type: 'refused', refusal: outcome };
    case 'failed':
      return isOverwrite ? { ...before, type: 'refused' } : { type: 'unreachable', error: outcome.error };
  }
}

/** Why records are not persisted; undefined when they are. */
export function problemOf(state: KeptState<unknown>, place: string): string | undefined {
  switch (state.type) {
    case 'refused':
    case 'overwriting':
      return `${place}: ${messageOf(state.refusal.error)}; it needs ${state.refusal.advice}`;
    case 'unreachable':
      return `${place}: ${messageOf(state.error)}`;
    case 'idle':
    case 'reading':
    case 'open':
      return undefined;
  }
}
