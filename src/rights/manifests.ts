import { dnsLabel } from '../lib/dns-label.ts';
import { compareText } from './compare-text.ts';
import type { Need, NeedOwner } from './need.ts';
import { rulesOf, type Rule } from './rules.ts';

/** A ServiceAccount. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

export interface ManifestOptions {
  /** Of hooklet. */
  readonly account: Account;
  /** Whether each hook has rules and an account of its own. */
  readonly isPerHook: boolean;
  /** Whether the rights to register webhooks and converters are among them. */
  readonly withWebhooks: boolean;
}

/** One object, with the rules it has where it is a role. */
export type Manifest =
  | { readonly type: 'account'; readonly account: Account }
  | {
      readonly type: 'role';
      readonly name: string;
      /** Empty: a ClusterRole. */
      readonly namespace: string;
      readonly note: string;
      readonly rules: readonly Rule[];
    }
  | {
      readonly type: 'binding';
      readonly name: string;
      readonly namespace: string;
      readonly subjects: readonly Account[];
    };

const WEBHOOK_GROUPS = ['admissionregistration.k8s.io', 'apiextensions.k8s.io'];
const POWER =
  'Nearly the rights of an administrator: who may change webhooks or converters can see and change what others write.';

/** The manifests that grant what is needed, in a fixed order. */
export function manifestsOf(needs: readonly Need[], options: ManifestOptions): readonly Manifest[] {
  const { account, isPerHook, withWebhooks } = options;
  const plain = needs.filter((need) => !isPowerful(need));
  const powerful = withWebhooks ? needs.filter(isPowerful) : [];
  const owners = isPerHook ? ownersOf(plain) : [undefined];
  return [
    ...owners.flatMap((owner) => ownerManifests(plain, owner, account)),
    ...rolesAndBindings(rulesOf(powerful), { name: `${account.name}-webhooks`, subjects: [account], note: POWER }),
  ];
}

/** Whether a need is about the registration of webhooks or converters, which is a power over all objects. */
export function isPowerful({ group, verb }: Pick<Need, 'group' | 'verb'>): boolean {
  return WEBHOOK_GROUPS.includes(group) && !['get', 'list', 'watch'].includes(verb);
}

function ownerManifests(needs: readonly Need[], owner: NeedOwner | undefined, account: Account): readonly Manifest[] {
  const own = needs.filter(({ of }) => owner === undefined || keyOf(of) === keyOf(owner));
  if (owner?.type !== 'hook') {
    return rolesAndBindings(rulesOf(own), { name: account.name, subjects: [account], note: '' });
  }
  const its = { ...account, name: accountName(account.name, owner.hook) };
  // hooklet sends the requests for the hook, so it has the rights as well.
  const parts = { name: its.name, subjects: [its, account], note: `Of hook ${owner.hook}.` };
  return [{ type: 'account', account: its }, ...rolesAndBindings(rulesOf(own), parts)];
}

interface RoleParts {
  readonly name: string;
  readonly subjects: readonly Account[];
  readonly note: string;
}

function rolesAndBindings(rules: readonly Rule[], { name, subjects, note }: RoleParts): readonly Manifest[] {
  const places = [...new Set(rules.map(({ namespace }) => namespace))].toSorted(compareText);
  return places.flatMap((namespace): readonly Manifest[] => [
    { type: 'role', name, namespace, note, rules: rules.filter((rule) => rule.namespace === namespace) },
    { type: 'binding', name, namespace, subjects },
  ]);
}

function ownersOf(needs: readonly Need[]): readonly NeedOwner[] {
  const owners = new Map(needs.map(({ of }) => [keyOf(of), of]));
  return [...owners].toSorted(([a], [b]) => compareText(a, b)).map(([, owner]) => owner);
}

function keyOf(owner: NeedOwner): string {
  return owner.type === 'hook' ? `hook ${owner.hook}` : '';
}

const MAX_NAME = 63;

/** A name of an object, from the name of a hook. */
export function accountName(prefix: string, hook: string): string {
  return `${prefix}-${dnsLabel(hook)}`.slice(0, MAX_NAME).replaceAll(/-+$/g, '');
}
