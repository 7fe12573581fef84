import type { Need } from './need.ts';

/**
 * Gives what was seen the breadth of what is known: a right of a binding or of hooklet that was used is that right, with
 * its names and namespaces. Names of other requests are left out, for the next object has another one.
 */
export function seenNeeds(seen: readonly Need[], known: readonly Need[]): readonly Need[] {
  const byRight = new Map<string, Need[]>();
  for (const need of known) {
    const same = byRight.get(rightKey(need)) ?? [];
    same.push(need);
    byRight.set(rightKey(need), same);
  }
  return seen.map((need) => {
    const right = (byRight.get(rightKey(need)) ?? []).find((one) => isWithin(need, one));
    const { name: _, ...unnamed } = need;
    if (right === undefined) return unnamed;
    const { isOptional: __, ...needed } = right;
    return { ...needed, reason: `${right.reason}; ${need.reason}` };
  });
}

/** The known needs that nobody has seen used. */
export function unseen(seen: readonly Need[], known: readonly Need[]): readonly Need[] {
  return known.filter((one) => !seen.some((need) => rightKey(need) === rightKey(one) && isWithin(need, one)));
}

function isWithin(need: Need, known: Need): boolean {
  const isOwn = need.of.type === 'hooklet' || (known.of.type === 'hook' && known.of.hook === need.of.hook);
  const isThere = known.namespace === '' || known.namespace === need.namespace;
  return isOwn && isThere && (known.name === undefined || known.name === need.name);
}

function rightKey({ group, resource, verb }: Need): string {
  return JSON.stringify([group, resource, verb]);
}
