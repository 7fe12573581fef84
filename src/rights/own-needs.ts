import { canBeNamed, needsOf, type Need } from './need.ts';

/** A need of hooklet itself. */
export type OwnNeed = Omit<Need, 'of'>;

/** With the name, for the verbs that can be limited to it. */
export function namedNeeds(
  base: Omit<OwnNeed, 'verb'> & { readonly name: string },
  wanted: readonly string[],
): readonly OwnNeed[] {
  const { name, ...rest } = base;
  return wanted.flatMap((verb) => ownNeeds(canBeNamed(verb) ? { ...rest, name } : rest, [verb]));
}

/** One need for each verb. */
export function ownNeeds(base: Omit<OwnNeed, 'verb'>, wanted: readonly string[]): readonly OwnNeed[] {
  return needsOf({ ...base, of: { type: 'hooklet' } }, wanted).map(({ of: _of, ...need }) => need);
}
