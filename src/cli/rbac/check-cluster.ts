import { HookletError, UsageError } from '../../errors.ts';
import type { KubeClient } from '../../kube/client.ts';
import { loadCluster } from '../../kube/credentials/load-cluster.ts';
import { createKubeClient } from '../../kube/kube-client.ts';
import { reviewAccess, reviewOwnAccess, reviewSelf, type AskedRight } from '../../kube/reviews.ts';
import { atOnce } from '../../lib/at-once.ts';
import { printable } from '../../lib/printable.ts';
import type { Account } from '../../rights/manifests.ts';
import type { Need } from '../../rights/need.ts';
import { rulesOf, type Rule } from '../../rights/rules.ts';
import { version } from '../program/version.ts';
import { ruleJson, ruleLine } from './difference-text.ts';
import { userOf } from './find-needs.ts';
import { warn } from './warn.ts';

export interface CheckOptions {
  readonly account: Account;
  readonly format: 'text' | 'json';
  readonly kubeConfig?: string;
  readonly kubeContext?: string;
}

const MAX_RIGHTS = 2000;
const AT_ONCE = 8;
const LIMIT_MS = 60_000;
const FAILED = 2;
/** What only those may who may do everything. */
const NOBODYS: AskedRight = { group: 'none.hooklet.dev', resource: 'nothings', namespace: '', verb: 'get' };

/**
 * Asks a cluster whether an account has each right, and prints what is missing. Resolves to the exit code: 0, 1 when a
 * right that is not optional is missing, 2 when it could not be found out.
 */
export async function checkCluster(needs: readonly Need[], options: CheckOptions): Promise<number> {
  const rights = rulesOf(needs).flatMap(rightsOf);
  if (rights.length > MAX_RIGHTS) {
    throw new UsageError(`rbac: ${rights.length} rights are needed, expected at most ${MAX_RIGHTS}: check fewer hooks`);
  }
  const user = userOf(options.account);
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const missing = await missingOf(rights, { ...options, user }, signal);
    const text = options.format === 'json' ? jsonOf(missing, rights, user) : textOf(missing, rights, user);
    process.stdout.write(printable(text));
    return missing.some(({ isOptional }) => !isOptional) ? 1 : 0;
  } catch (error) {
    const isKnown = error instanceof HookletError && !(error instanceof UsageError);
    if (!isKnown && !signal.aborted) throw error;
    const why = isKnown ? error.message : `the cluster has not answered all questions within ${LIMIT_MS / 1000} s`;
    process.stderr.write(printable(`hooklet: the rights of ${user} are not known: ${why}\n`));
    return FAILED;
  }
}

/** A right of a rule, to be asked for by itself. */
interface Right {
  readonly rule: Rule;
  readonly asked: AskedRight;
}

function rightsOf(rule: Rule): readonly Right[] {
  const { group, namespace, verbs, names } = rule;
  const [resource = '', subresource] = rule.resource.split('/');
  const named: readonly { readonly name?: string }[] = names.length === 0 ? [{}] : names.map((name) => ({ name }));
  const base = { group, resource, ...(subresource !== undefined && { subresource }), namespace };
  return verbs.flatMap((verb) => named.map((name) => ({ rule, asked: { ...base, verb, ...name } })));
}

type MayUse = (right: AskedRight, signal: AbortSignal) => Promise<boolean>;

/** What is missing, as rules with what is missing of each. */
async function missingOf(
  rights: readonly Right[],
  { kubeConfig, kubeContext, user }: CheckOptions & { readonly user: string },
  signal: AbortSignal,
): Promise<readonly Rule[]> {
  const cluster = await loadCluster({ kubeConfigPath: kubeConfig, context: kubeContext, env: process.env });
  const client = createKubeClient(cluster, { userAgent: `hooklet/${version}` });
  try {
    const mayUse = await asker(client, user, signal);
    const refused = new Set<Right>();
    const failures: unknown[] = [];
    await atOnce(rights, AT_ONCE, async (right) => {
      try {
        if (failures.length === 0 && !(await mayUse(right.asked, signal))) refused.add(right);
      } catch (error) {
        failures.push(error);
      }
    });
    if (failures.length > 0) throw failures[0];
    if (refused.size === 0 && (await mayUse(NOBODYS, signal))) {
      warn(
        `${user} may do everything there, also what nobody asked for: a cluster in memory and one without RBAC allow all, so this says nothing of another cluster`,
      );
    }
    const byRule = Map.groupBy(
      rights.filter((right) => refused.has(right)),
      ({ rule }) => rule,
    );
    return [...byRule].map(([rule, missing]) => partOf(rule, missing));
  } finally {
    await client.close();
  }
}

/** Everybody may ask for themselves, and few for others. */
async function asker(client: Pick<KubeClient, 'request'>, user: string, signal: AbortSignal): Promise<MayUse> {
  if ((await reviewSelf(client, signal)) === user) {
    return async (right, stop) => reviewOwnAccess(client, right, stop);
  }
  const [, , namespace = ''] = user.split(':');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return async (right, stop) => reviewAccess(client, { spec: { user, groups } }, right, stop);
}

/** The verbs and names of a rule that are missing. */
function partOf(rule: Rule, missing: readonly Right[]): Rule {
  const verbs = rule.verbs.filter((verb) => missing.some(({ asked }) => asked.verb === verb));
  const names = rule.names.filter((name) => missing.some(({ asked }) => asked.name === name));
  return { ...rule, verbs, names };
}

function textOf(missing: readonly Rule[], rights: readonly Right[], user: string): string {
  const lines = missing.map((rule) => `${rule.isOptional ? 'missing, but optional' : 'missing'}: ${ruleLine(rule)}`);
  const last = missing.length === 0 ? `${user} has all of the ${rights.length} rights\n` : '';
  return `${lines.map((line) => `${line}\n`).join('')}${last}`;
}

function jsonOf(missing: readonly Rule[], rights: readonly Right[], user: string): string {
  return `${JSON.stringify({ user, rights: rights.length, missing: missing.map(ruleJson) }, undefined, 2)}\n`;
}
