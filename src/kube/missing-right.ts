import { KubeError } from '../errors.ts';
import { shownName } from '../lib/shown.ts';
import { policyRuleText, type PolicyRule } from './policy-rule.ts';

const ADVICE = '; add the rule ';
const MAX_NAME = 253;
const FOLLOW = ['list', 'watch'];

const RESOURCE = /\bcannot ([a-z]{1,40}) resource "([^"]{1,200})" in API group "([^"]{0,200})"/;
const NAMESPACE = /\bin the namespace "([^"]{1,253})"/;
const PATH = /\bcannot ([a-z]{1,40}) path "([^"]{1,1000})"/;
const OWNER = /cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on/;
const GRANT = /is attempting to grant RBAC permissions not currently held/;

/**
 * Returns what to add to the rules of the account, as the end of a message; empty when the refusal is not about a right,
 * such as one of a webhook or a quota. `body` is the object that was sent.
 */
export function missingRight(said: string, body?: string | Uint8Array): string {
  const resource = RESOURCE.exec(said);
  if (resource !== null) return resourceRight(said, resource);
  const path = PATH.exec(said);
  if (path !== null) {
    const [, verb = '', url = ''] = path;
    return `${ADVICE}{nonResourceURLs: ["${shownName(url, MAX_NAME)}"], verbs: [${verb}]} to a ClusterRole`;
  }
  if (OWNER.test(said)) return ownerRights(body);
  return GRANT.test(said) ? `; grant these rights to the account as well, or the verb escalate on that role` : '';
}

/** A message without what `missingRight` added to it, for where all rules of a task are named at once. */
export function withoutMissingRight(message: string): string {
  const at = message.lastIndexOf(ADVICE);
  return at === -1 ? message : message.slice(0, at);
}

/** Adds the rule that a task needs in full to a 403; returns any other error as it is. */
export function withNeededRule(
  error: unknown,
  { namespace, rule }: { readonly namespace: string; readonly rule: PolicyRule },
): unknown {
  if (!(error instanceof KubeError) || error.status !== 403) return error;
  const { message, status, reason } = error;
  const needed = `a Role in the namespace ${namespace} needs the rule ${policyRuleText(rule)}`;
  return new KubeError(`${withoutMissingRight(message)}; ${needed}`, { status, reason }, { cause: error });
}

function resourceRight(said: string, [, verb = '', resource = '', group = '']: RegExpExecArray): string {
  const namespace = NAMESPACE.exec(said)?.[1];
  // What is listed is watched from there; a server may begin a watch with a list.
  const verbs = FOLLOW.includes(verb) ? FOLLOW : [verb];
  const rule = policyRuleText({
    apiGroup: shownName(group, MAX_NAME),
    resource: shownName(resource, MAX_NAME),
    verbs,
  });
  const where = namespace === undefined ? 'a ClusterRole' : `a Role in the namespace ${shownName(namespace, MAX_NAME)}`;
  return `${ADVICE}${rule} to ${where}`;
}

/** The message does not say which resources, but the object that was sent does. */
function ownerRights(body: string | Uint8Array | undefined): string {
  const owners = ownersIn(body).slice(0, MAX_OWNERS);
  const rules = owners.map(({ apiVersion, kind }) => {
    const apiGroup = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    return policyRuleText({
      apiGroup: shownName(apiGroup, MAX_NAME),
      resource: `${guessedPlural(shownName(kind, MAX_NAME))}/finalizers`,
      verbs: ['update'],
    });
  });
  return rules.length === 0
    ? '; add the verb update on the finalizers of its owners'
    : `${ADVICE}${[...new Set(rules)].join(' and ')}`;
}

const MAX_OWNERS = 10;

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
}

function ownersIn(body: string | Uint8Array | undefined): readonly Owner[] {
  const references = member(member(parsed(body), 'metadata'), 'ownerReferences');
  return Array.isArray(references) ? references.flatMap(ownerOf) : [];
}

function ownerOf(reference: unknown): Owner | [] {
  const [apiVersion, kind] = [member(reference, 'apiVersion'), member(reference, 'kind')];
  if (member(reference, 'blockOwnerDeletion') !== true) return [];
  return typeof apiVersion === 'string' && typeof kind === 'string' ? { apiVersion, kind } : [];
}

/** As Kubernetes guesses the resource of a kind. */
function guessedPlural(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith('s')) return `${name}es`;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}

function parsed(body: string | Uint8Array | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(key);
}
