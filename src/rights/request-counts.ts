import { canBeNamed, type Need } from './need.ts';

/** A request of an account; `name` is empty for one that names no object. */
export type CountedRequest = Omit<Need, 'reason' | 'name' | 'isUnverified' | 'isOptional'> & { readonly name: string };

/** What is known of a request besides. */
export interface RequestFate {
  readonly isRefused: boolean;
  readonly isDryRun: boolean;
}

/** Beyond these a need is no longer told apart by name, and beyond those not by namespace. */
const MAX_NAMES = 50;
const MAX_NAMESPACES = 200;

interface Counted {
  readonly need: Omit<Need, 'reason' | 'name' | 'namespace'>;
  /** By namespace, then by name; `undefined` for any. */
  readonly places: Map<string, Map<string | undefined, Seen>>;
}

interface Seen {
  count: number;
  refused: number;
  dryRuns: number;
}

/** Counts requests by what they need; everything is bounded. `where` ends each reason, such as `in the audit log`. */
export class RequestCounts {
  readonly #where: string;
  readonly #counted = new Map<string, Counted>();

  constructor(where: string) {
    this.#where = where;
  }

  note(request: CountedRequest, { isRefused, isDryRun }: RequestFate = { isRefused: false, isDryRun: false }): void {
    const { namespace, name, ...need } = request;
    const key = JSON.stringify([need.of, need.group, need.resource, need.verb]);
    const counted = this.#counted.get(key) ?? { need, places: new Map() };
    this.#counted.set(key, counted);
    const seen = seenAt(counted.places, namespace, name === '' || !canBeNamed(need.verb) ? undefined : name);
    seen.count += 1;
    if (isRefused) seen.refused += 1;
    if (isDryRun) seen.dryRuns += 1;
  }

  needs(): readonly Need[] {
    return [...this.#counted.values()].flatMap(({ need, places }) =>
      [...places].flatMap(([namespace, names]) =>
        [...names].map(([name, seen]): Need => {
          return { ...need, namespace, ...(name !== undefined && { name }), reason: this.#reasonOf(seen) };
        }),
      ),
    );
  }

  #reasonOf({ count, refused, dryRuns }: Seen): string {
    const details = [
      ...(refused > 0 ? [`refused ${timesText(refused)}`] : []),
      ...(dryRuns > 0 ? [`dry run ${timesText(dryRuns)}`] : []),
    ];
    const more = details.length === 0 ? '' : ` (${details.join(', ')})`;
    return `asked ${timesText(count)}${more} ${this.#where}`;
  }
}

/** `once`, `3 times`. */
export function timesText(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** The count of a place, within the bounds. */
function seenAt(places: Counted['places'], asked: string, called: string | undefined): Seen {
  const isKept = places.has(asked) || places.size < MAX_NAMESPACES;
  const namespace = isKept ? asked : '';
  const names = places.get(namespace) ?? new Map<string | undefined, Seen>();
  places.set(namespace, names);
  const name = names.has(called) || names.size < MAX_NAMES ? called : undefined;
  const seen = names.get(name) ?? { count: 0, refused: 0, dryRuns: 0 };
  names.set(name, seen);
  return seen;
}
