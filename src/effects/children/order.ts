import { shownName } from '../../lib/shown.ts';
import { nameOfChild, type Named } from './live-child.ts';
import type { Parent } from './marks.ts';
import type { ChildProblem } from './problem.ts';

/** A child with the names that it comes after. */
export interface NamedChild extends Named {
  readonly after: readonly string[];
  /** Where it is in the answer. */
  readonly index: number;
}

export interface Order {
  /** For each child the places, in the same list, of those that it comes after. */
  readonly after: readonly (readonly number[])[];
  readonly problems: readonly ChildProblem[];
}

const MAX_PAIRS = 100_000;

/** Resolves the names of `after`: `Kind/name`, or `name` for all children that are called so. */
export function resolveAfter(children: readonly NamedChild[], parent: Pick<Parent, 'namespace'>): Order {
  const places = new Map<string, number[]>();
  for (const [place, child] of children.entries()) {
    for (const name of new Set([child.name, `${child.kind}/${child.name}`, nameOfChild(child, parent)])) {
      const same = places.get(name);
      if (same === undefined) places.set(name, [place]);
      else same.push(place);
    }
  }
  const problems: ChildProblem[] = [];
  let pairs = 0;
  const after = children.map((child, place) =>
    child.after.flatMap((name) => {
      const same = places.get(name) ?? [];
      pairs += same.length;
      if (pairs > MAX_PAIRS) return [];
      const found = same.filter((other) => other !== place);
      if (found.length > 0) return found;
      const message = `children[${child.index}]: after: no other child is called ${shownName(name)}`;
      problems.push({ type: 'invalid', child: nameOfChild(child, parent), message });
      return [];
    }),
  );
  if (pairs > MAX_PAIRS) {
    const message = `after: more than ${MAX_PAIRS} pairs of children: name fewer`;
    return { after: [], problems: [{ type: 'invalid', child: 'children', message }] };
  }
  const cycle = findCycle(after);
  if (cycle.length > 0) {
    const names = cycle.map((place) => labelAt(children, place, parent));
    const message = `after: the children wait for each other in a circle: ${names.join(' after ')}`;
    problems.push({ type: 'invalid', child: names[0] ?? '', message });
  }
  return { after, problems };
}

function labelAt(children: readonly Named[], place: number, parent: Pick<Parent, 'namespace'>): string {
  const child = children[place];
  return child === undefined ? '' : nameOfChild(child, parent);
}

const MAX_SHOWN = 10;

/** The places of a circle, the first one also at its end; empty without one. It is not recursive. */
function findCycle(after: readonly (readonly number[])[]): readonly number[] {
  const isDone = new Set<number>();
  for (const start of after.keys()) {
    const path: { readonly place: number; readonly rest: Iterator<number> }[] = [];
    const onPath = new Set<number>();
    const enter = (place: number): void => {
      path.push({ place, rest: (after[place] ?? []).values() });
      onPath.add(place);
    };
    if (!isDone.has(start)) enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.rest.next();
      if (next.done === true) {
        isDone.add(top.place);
        onPath.delete(top.place);
        path.pop();
      } else if (onPath.has(next.value)) {
        const from = path.findIndex(({ place }) => place === next.value);
        return [...path.slice(from, from + MAX_SHOWN).map(({ place }) => place), next.value];
      } else if (!isDone.has(next.value)) enter(next.value);
    }
  }
  return [];
}

/** For each child the places of those that must be there before it: its Namespace, and the definition of its kind. */
export function needsOf(children: readonly (Named & Kinded)[]): readonly (readonly number[])[] {
  const namespaces = new Map<string, number>();
  const definitions = new Map<string, number>();
  for (const [place, { kind, resource, name }] of children.entries()) {
    if (resource.group === '' && kind === 'Namespace') namespaces.set(name, place);
    if (kind === 'CustomResourceDefinition') definitions.set(name, place);
  }
  return children.map(({ namespace, resource }) =>
    [namespaces.get(namespace), definitions.get(`${resource.plural}.${resource.group}`)].filter(
      (place) => place !== undefined,
    ),
  );
}

interface Kinded {
  readonly resource: { readonly group: string; readonly plural: string };
}
