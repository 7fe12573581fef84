import { differingFields, fieldsOf, type WrittenFields } from '../written-fields.ts';
import type { ChildWrite } from './child-requests.ts';
import { APPLIED_ANNOTATION } from './marks.ts';

/** Writes of a child without delay: an object that is being set up may need as many. */
export const FREE_WRITES = 10;
/** Delay after the first write beyond `FREE_WRITES`; it doubles with each further write. */
export const FIRST_DELAY_MS = 100;
/** The longest delay. */
export const MAX_DELAY_MS = 30_000;
/** Two writes of a child follow each other if the second comes within this time after the delay of the first. */
export const EXPIRY_MS = 10_000;
const MAX_CHILDREN = 10_000;

/** A child that is written again and again, because the hook or somebody else changes it back. */
export interface Flip {
  /** `apps/v1/Deployment/default/web`. */
  readonly child: string;
  /** How many writes followed each other. */
  readonly writes: number;
  /**
   * The fields that the last two writes gave different values. Where they gave the same, the fields that another writer
   * had changed in between. Empty where neither is known.
   */
  readonly fields: readonly string[];
  /** How long the parent should not be looked at. */
  readonly delayMs: number;
}

interface Written {
  readonly writes: number;
  readonly atMs: number;
  readonly delayMs: number;
  readonly fields: WrittenFields | undefined;
}

/**
 * Detects a hook whose own writes bring it back again and again: it makes a child something else each time, or fights
 * with another writer over a field. Writes of one child that follow each other within `EXPIRY_MS` are counted; from
 * `FREE_WRITES` on the caller warns, and waits before it looks at the parent again. A child that rests is forgotten.
 *
 * Memory is bounded: the last write of each of `MAX_CHILDREN` children, with what was written only near the limit.
 */
export class Flips {
  readonly #now: () => number;
  readonly #last = new Map<string, Written>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Records a write that was carried out; returns the flip that it continues, if any. */
  note({ operation, applied, lost }: ChildWrite): Flip | undefined {
    const isWrite = operation.operation === 'Apply' && applied.change !== 'unchanged';
    if (!isWrite) return undefined;
    const { target: child } = applied;
    const last = this.#recent(child);
    const writes = (last?.writes ?? 0) + 1;
    const isFlip = writes > FREE_WRITES;
    const delayMs = isFlip ? Math.min(FIRST_DELAY_MS * 2 ** Math.min(writes - FREE_WRITES - 1, 20), MAX_DELAY_MS) : 0;
    const fields = writes >= FREE_WRITES ? fieldsOf(operation) : undefined;
    this.#remember(child, { writes, atMs: this.#now(), delayMs, fields });
    if (!isFlip) return undefined;
    const changed = differingFields(last?.fields, fields);
    return { child, writes, fields: changed.length > 0 ? changed.filter(isOfHook) : lost.filter(isOfHook), delayMs };
  }

  #recent(child: string): Written | undefined {
    const last = this.#last.get(child);
    return last === undefined || this.#now() - last.atMs - last.delayMs > EXPIRY_MS ? undefined : last;
  }

  #remember(child: string, write: Written): void {
    this.#last.delete(child);
    this.#last.set(child, write);
    const [oldest] = this.#last.size > MAX_CHILDREN ? this.#last.keys() : [];
    if (oldest !== undefined) this.#last.delete(oldest);
  }
}

function isOfHook(path: string): boolean {
  return !path.endsWith(APPLIED_ANNOTATION);
}
