import type { Logger } from '../log.ts';
import type { KeptState } from './kept-state.ts';

/** The words of the log for what is persisted, and for the consequences of a failure. */
export interface KeptWords {
  /** All records, such as `schedule state`. */
  readonly what: string;
  /** One record, such as `state of a schedule`. */
  readonly one: string;
  /** What happens while the store is unreachable, such as `schedules wait for it`. */
  readonly unreachable: string;
  /** What is lost while the store refuses, such as `ticks missed while nobody is there are lost`. */
  readonly refused: string;
}

/** A text in the store that cannot be parsed as a record. */
export interface Unreadable {
  readonly key: string;
  /** The key to which the text is copied. */
  readonly keptAs: string;
  readonly text: string;
  readonly error: unknown;
}

/** The events of `Kept` that are logged. */
export interface KeptLog {
  /** Logs what a change of state means for the user. */
  readonly moved: (before: KeptState<unknown>, next: KeptState<unknown>) => void;
  readonly unreadable: (unreadable: Unreadable) => void;
  /** Logs that the process exits with unwritten changes; `state` is the last one. */
  readonly ended: (state: KeptState<unknown>) => void;
}

const MAX_SHOWN = 300;

/** Creates the log of the records in the store at `place`. */
export function keptLog(log: Logger, place: string, { what, one, unreachable, refused }: KeptWords): KeptLog {
  return {
    moved: (before, next) => {
      if (before.type === 'unreachable' && next.type !== 'unreachable')
        log.info({ place }, `${what} is reachable again`);
      if (before.type === 'overwriting' && next.type === 'open') log.info({ place }, `${what} is persisted again`);
      if (before.type !== 'unreachable' && next.type === 'unreachable') {
        log.warn({ place, err: next.error }, `${what} cannot be reached, ${unreachable}`);
      }
      if (before.type !== 'overwriting' && next.type === 'refused') {
        const { error, advice } = next.refusal;
        log.error({ place, err: error, advice }, `${what} cannot be persisted, ${refused}`);
      }
    },
    unreadable: ({ key, keptAs, text, error }) => {
      const content = text.slice(0, MAX_SHOWN);
      log.warn({ place, key, keptAs, content, err: error }, `${one} cannot be read, starting with an empty one`);
    },
    ended: (state) => {
      const error = state.type === 'unreachable' ? state.error : undefined;
      log.error({ place, err: error }, `the last changes of the ${what} were not written`);
    },
  };
}
