import { differences, type Applied, type Present } from './differs.ts';

const MAX_CHILDREN = 20_000;

/**
 * Differences that an apply does not remove, such as a field that an admission webhook takes away again: they are not
 * sent again until the child or what is wanted differs in another way. One instance lives as long as the operator; an
 * entry that is lost costs one request.
 */
export class Tolerance {
  /** By uid of the child, what is wanted and what differed right after it was applied. */
  readonly #known = new Map<string, string>();

  /** The paths at which the child differs and an apply could help. */
  differences(live: Present & { readonly uid: string }, wanted: Applied): readonly string[] {
    const paths = differences(live, wanted);
    return paths.length > 0 && this.#known.get(live.uid) === textOf(wanted, paths) ? [] : paths;
  }

  /** Records the child as the answer to an apply shows it. */
  note(answer: Present & { readonly uid: string }, wanted: Applied): void {
    const paths = differences(answer, wanted);
    this.#known.delete(answer.uid);
    if (paths.length === 0) return;
    this.#known.set(answer.uid, textOf(wanted, paths));
    const [oldest] = this.#known.size > MAX_CHILDREN ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

function textOf({ hash }: Applied, paths: readonly string[]): string {
  return [hash, ...paths].join('\n');
}
