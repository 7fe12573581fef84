import { compareText } from './compare-text.ts';
import type { Need, NeedOwner } from './need.ts';

/** One rule of a Role or ClusterRole, for one resource. */
export interface Rule {
  /** Empty: of a ClusterRole. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
  /** Empty: any name. */
  readonly names: readonly string[];
  readonly reasons: readonly Reason[];
  readonly isOptional: boolean;
  readonly isUnverified: boolean;
}

/** Why a rule has these verbs. */
export interface Reason {
  readonly verbs: readonly string[];
  readonly text: string;
}

const MAX_REASONS = 8;
const VERBS = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];

/** Merges needs into rules: none grants what another grants already, and their order is always the same. */
export function rulesOf(needs: readonly Need[]): readonly Rule[] {
  const groups = new Map<string, Need[]>();
  for (const need of uncovered(needs)) add(groups, placeKey(need), need);
  return [...groups.values()].flatMap(rulesOfPlace).toSorted(compareRules);
}

/** The verbs of a rule, in the order in which people write them. */
export function inVerbOrder(verbs: Iterable<string>): readonly string[] {
  const rank = (verb: string): number => (VERBS.includes(verb) ? VERBS.indexOf(verb) : VERBS.length);
  return [...new Set(verbs)].toSorted((a, b) => rank(a) - rank(b) || compareText(a, b));
}

/** `hook x` or `hooklet`, before a reason. */
export function ownerText(owner: NeedOwner): string {
  return owner.type === 'hook' ? `hook ${owner.hook}` : 'hooklet';
}

/** Leaves out what another need grants: that of all namespaces, of any name, or one that is not optional. */
function uncovered(needs: readonly Need[]): readonly Need[] {
  const byRight = new Map<string, Need[]>();
  for (const need of needs) add(byRight, JSON.stringify([need.group, need.resource, need.verb]), need);
  return [...byRight.values()].flatMap((same) => {
    const broad = new Map(same.filter(isBroad).map((need) => [breadth(need), need]));
    return same.filter((need) => ![...broad.values()].some((other) => other !== need && isCovering(other, need)));
  });
}

function isBroad(need: Need): boolean {
  return need.namespace === '' || need.name === undefined || need.isOptional !== true;
}

function breadth({ namespace, name, isOptional }: Need): string {
  return JSON.stringify([namespace, name ?? null, isOptional === true]);
}

/** Strictly: a need does not cover its like. */
function isCovering(broad: Need, need: Need): boolean {
  const isWider = broad.namespace === need.namespace || broad.namespace === '';
  const isAnyName = broad.name === undefined || broad.name === need.name;
  if (!isWider || !isAnyName || (broad.isOptional === true && need.isOptional !== true)) return false;
  return breadth(broad) !== breadth(need);
}

function placeKey({ namespace, group, resource, isOptional }: Need): string {
  return JSON.stringify([namespace, group, resource, isOptional === true]);
}

/** The rules for one resource in one place: one for each set of names. */
function rulesOfPlace(needs: readonly Need[]): readonly Rule[] {
  const byVerb = new Map<string, Need[]>();
  for (const need of needs) add(byVerb, need.verb, need);
  const byNames = new Map<string, Need[]>();
  for (const same of byVerb.values()) {
    for (const need of same) add(byNames, JSON.stringify(namesOf(same)), need);
  }
  return [...byNames.values()].flatMap(ruleOf);
}

function ruleOf(needs: readonly Need[]): Rule | [] {
  const [first] = needs;
  if (first === undefined) return [];
  const { namespace, group, resource, isOptional } = first;
  return {
    namespace,
    group,
    resource,
    verbs: inVerbOrder(needs.map(({ verb }) => verb)),
    names: namesOf(needs),
    reasons: reasonsOf(needs),
    isOptional: isOptional === true,
    isUnverified: needs.every((need) => need.isUnverified === true),
  };
}

function namesOf(needs: readonly Need[]): readonly string[] {
  const names = needs.map(({ name }) => name);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted(compareText);
}

function reasonsOf(needs: readonly Need[]): readonly Reason[] {
  const verbs = new Map<string, string[]>();
  for (const { of, reason, verb } of needs) add(verbs, `${ownerText(of)}: ${reason}`, verb);
  const all = [...verbs].map(([text, its]): Reason => ({ text, verbs: inVerbOrder(its) }));
  const sorted = all.toSorted((a, b) => compareText(a.text, b.text));
  if (sorted.length <= MAX_REASONS) return sorted;
  return [...sorted.slice(0, MAX_REASONS), { text: `and ${sorted.length - MAX_REASONS} more`, verbs: [] }];
}

function compareRules(a: Rule, b: Rule): number {
  return (
    compareText(a.namespace, b.namespace) ||
    Number(a.isOptional) - Number(b.isOptional) ||
    compareText(a.group, b.group) ||
    compareText(a.resource, b.resource) ||
    compareText(a.names.join(), b.names.join())
  );
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
