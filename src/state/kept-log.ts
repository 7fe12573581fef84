import type { Logger } from '../log.ts';
import type { KeptState } from './kept-state.ts';

/** How the log calls what is persisted, and what comes of it when that does not work. */
export interface KeptWords {
  /** All of it, such as `schedule state`. */
  readonly what: string;
  /** One record, such as `state of a schedule`. */
  readonly one: string;
  /** What waits while the store cannot be reached, such as `schedules wait for it`. */
  readonly unreachable: string;
  /** What is lost where the store refuses, such as `ticks missed while nobody is there are lost`. */
  readonly refused: string;
}

/** A text in the store that is no record. */
export interface Unreadable {
  readonly key: string;
  /** The key under which it is put aside. */
  readonly keptAs: string;
  readonly text: string;
  readonly error: unknown;
}

export interface KeptLog {
  /** What a move from one state to the next means for the user. */
  readonly moved: (before: KeptState<unknown>, next: KeptState<unknown>) => void;
  readonly unreadable: (unreadable: Unreadable) => void;
  /** The process ends before all is written; `state` is the last one. */
  readonly ended: (state: KeptState<unknown>) => void;
}

const MAX_SHOWN = 300;

/** The log lines about records in the store at `place`. */
export function keptLog(log: Logger, place: string, { what, one, unreachable, refused }: KeptWords): KeptLog {
  return {
    moved: (before, next) => {
      if (before.type === 'unreachable' && next.type !== 'unreachable') log.info({ place }, `${what} is reached again`);
      if (before.type === 'offering' && next.type === 'open') log.info({ place }, `${what} is kept again`);
      if (before.type !== 'unreachable' && next.type === 'unreachable') {
        log.warn({ place, err: next.error }, `${what} cannot be reached, ${unreachable}`);
      }
      if (before.type !== 'offering' && next.type === 'refused') {
        const { error, advice } = next.refusal;
        log.error({ place, err: error, advice }, `${what} cannot be kept, ${refused}`);
      }
    },
    unreadable: ({ key, keptAs, text, error }) => {
      const content = text.slice(0, MAX_SHOWN);
      log.warn({ place, key, keptAs, content, err: error }, `${one} cannot be read, it starts anew`);
    },
    ended: (state) => {
      const error = state.type === 'unreachable' ? state.error : undefined;
      log.error({ place, err: error }, `the last of the ${what} is not written`);
    },
  };
}
