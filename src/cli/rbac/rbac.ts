import { UsageError } from '../../errors.ts';
import { printable } from '../../lib/printable.ts';
import { shown } from '../../lib/shown.ts';
import { differenceOf } from '../../rights/difference.ts';
import { grantedBy, type Granted } from '../../rights/granted.ts';
import { manifestsJson, manifestsYaml } from '../../rights/manifest-text.ts';
import { manifestsOf, type Account } from '../../rights/manifests.ts';
import type { Need } from '../../rights/need.ts';
import { risksOf } from '../../rights/risks.ts';
import { oneOf } from '../options/output-format.ts';
import { checkCluster } from './check-cluster.ts';
import { differenceText, isDifferent } from './difference-text.ts';
import { findNeeds, type FoundNeeds, type NeedsFlags } from './find-needs.ts';
import { readManifests } from './read-manifests.ts';
import { warn } from './warn.ts';

export interface RbacFlags extends NeedsFlags {
  readonly perHook?: boolean;
  readonly webhooks?: boolean;
  readonly serviceAccount?: string;
  readonly diff?: readonly string[];
  readonly check?: boolean;
  readonly kubeConfig?: string;
  readonly kubeContext?: string;
  readonly output?: string;
}

/**
 * `hooklet rbac`: prints the rules that hooks and hooklet need as manifests, what to know of them on standard error; with
 * `--diff` what differs from given manifests. Resolves to the exit code: 0, or 1 when something differs.
 */
export async function rbacCommand(paths: readonly string[], flags: RbacFlags): Promise<number> {
  checkFlags(flags);
  const account = accountOf(flags.serviceAccount ?? 'hooklet/hooklet');
  if (flags.check === true) return check(paths, flags, account);
  const format = oneOf(['yaml', 'json'], flags.output);
  const granted = flags.diff && (await readGranted(flags.diff));
  const found = await findNeeds(paths, flags, account);
  if (found === undefined) return 1;
  return granted === undefined ? print(found.needs, account, { ...flags, format }) : compare(found, granted);
}

function checkFlags(flags: RbacFlags): void {
  if (flags.onlySeen === true && flags.audit === undefined && flags.observed !== true) {
    throw new UsageError('rbac: --only-seen needs --audit FILE or --observed, which see something');
  }
  if (flags.check !== true && (flags.kubeConfig !== undefined || flags.kubeContext !== undefined)) {
    throw new UsageError('rbac: --kube-config and --kube-context are for --check, which asks a cluster');
  }
  if (flags.check === true && (flags.diff !== undefined || flags.perHook === true)) {
    throw new UsageError('rbac: --check asks for the account of hooklet: use it without --diff and --per-hook');
  }
}

async function check(paths: readonly string[], flags: RbacFlags, account: Account): Promise<number> {
  const format = oneOf(['text', 'json'], flags.output);
  const found = await findNeeds(paths, flags, account);
  return found === undefined ? 1 : checkCluster(found.needs, { ...flags, account, format });
}

async function readGranted(paths: readonly string[]): Promise<Granted> {
  const granted = grantedBy(await readManifests('--diff', paths));
  if (granted.problems.length > 0) throw new UsageError(granted.problems.join('\n'));
  return granted;
}

function print(
  needs: readonly Need[],
  account: Account,
  { format, webhooks: withWebhooks = false, perHook: isPerHook = false, ...flags }: Printing,
): number {
  for (const risk of risksOf(needs, withWebhooks)) warn(risk);
  const manifests = manifestsOf(needs, { account, isPerHook, withWebhooks });
  const text = format === 'json' ? manifestsJson(manifests) : manifestsYaml(manifests, header(flags));
  process.stdout.write(printable(text));
  return 0;
}

interface Printing extends RbacFlags {
  readonly format: 'yaml' | 'json';
}

function compare({ needs, hasSeen }: FoundNeeds, { grants, notes }: Granted): number {
  for (const note of notes) warn(note);
  const difference = differenceOf(needs, grants);
  process.stdout.write(printable(differenceText(difference, hasSeen)));
  return isDifferent(difference, hasSeen) ? 1 : 0;
}

function accountOf(text: string): Account {
  const [, namespace, name] = /^([a-z0-9][a-z0-9.-]*)\/([a-z0-9][a-z0-9.-]*)$/.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  throw new UsageError(`--service-account: received ${shown(text)}, expected NAMESPACE/NAME, such as hooklet/hooklet`);
}

function header({ audit, observed, scenarios, onlySeen }: RbacFlags): readonly string[] {
  const seen = [
    ...(scenarios === undefined ? [] : ['their scenarios']),
    ...(audit === undefined ? [] : ['an audit log']),
    ...(observed === true ? ['a running operator'] : []),
  ];
  const bindings = onlySeen === true ? [] : ['the bindings of the hooks'];
  return [
    `Made by hooklet rbac from ${[...bindings, ...seen].join(' and ')}.`,
    ...(seen.length > 0
      ? []
      : [
          'What hooks change by patches or with kubectl is not in their bindings: see --scenarios, --observed and --audit.',
        ]),
  ];
}
