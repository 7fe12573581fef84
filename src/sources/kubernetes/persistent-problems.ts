import { KubeError, summaryOf } from '../../errors.ts';
import { messageOf } from '../../lib/message-of.ts';

export interface PersistentProblemsOptions {
  /** Whether the first list is complete: the watches log a transient error after it, and recover by themselves. */
  readonly isSynced: () => boolean;
  /** Called with each error that is new, but not with a transient one after the first list. */
  readonly onProblem: (error: unknown) => void;
}

/** What fails of one binding now: the kind, the namespaces, or the watches by their keys. */
export class PersistentProblems {
  readonly #options: PersistentProblemsOptions;
  readonly #errors = new Map<string, unknown>();

  constructor(options: PersistentProblemsOptions) {
    this.#options = options;
  }

  /** Summary of the error that has persisted longest; undefined when nothing fails. */
  get summary(): string | undefined {
    const [error] = this.#errors.values();
    return error === undefined ? undefined : summaryOf(error);
  }

  /** `what` fails with this error, until it recovers. */
  failed(what: string, error: unknown): void {
    const known = this.#errors.get(what);
    this.#errors.set(what, error);
    if (known !== undefined && messageOf(known) === messageOf(error)) return;
    const { isSynced, onProblem } = this.#options;
    if (!isSynced() || !isTransient(error)) onProblem(error);
  }

  recovered(what: string): void {
    this.#errors.delete(what);
  }

  /** Nothing fails any more, because nothing is watched. */
  clear(): void {
    this.#errors.clear();
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof KubeError && ([0, 410, 429].includes(error.status) || error.status >= 500);
}
