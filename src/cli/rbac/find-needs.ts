import type { Hook } from '../../hook/binding.ts';
import type { AuditEvents } from '../../rights/audit-events.ts';
import { bindingNeeds } from '../../rights/binding-needs.ts';
import type { PlacedObject } from '../../rights/granted.ts';
import { hookletNeeds } from '../../rights/hooklet-needs.ts';
import { resourcesAmong, type FindResource } from '../../rights/known-resource.ts';
import { accountName, type Account } from '../../rights/manifests.ts';
import type { Need } from '../../rights/need.ts';
import { operationNeeds } from '../../rights/operation-needs.ts';
import { seenNeeds, unseen } from '../../rights/seen-needs.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { SocketFlags } from '../control/asking.ts';
import { builtInKinds } from '../built-in-kinds.ts';
import { startOptions } from '../options/options.ts';
import { attributeName, resolveOptions, type Flags } from '../options/resolve.ts';
import type { OptionSpec } from '../options/spec.ts';
import { readAuditFile } from './audit-file.ts';
import { kindsOfDefinitions } from './crd-kinds.ts';
import { FEATURE_OPTIONS, featuresOf } from './feature-options.ts';
import { loadAllHooks } from './load-hooks.ts';
import { readObserved } from './observed.ts';
import { readManifests } from './read-manifests.ts';
import { storiesAt, tellStories } from './run-scenarios.ts';
import { scenarioNeeds, type ScenarioNeedsOptions } from './scenario-needs.ts';
import { warn } from './warn.ts';

/** From where needs are taken. */
export interface NeedsFlags extends SocketFlags {
  readonly audit?: string;
  readonly observed?: boolean;
  readonly scenarios?: readonly string[];
  readonly onlySeen?: boolean;
  readonly crds?: readonly string[];
}

/** What the hooks and hooklet need. */
export interface FoundNeeds {
  readonly needs: readonly Need[];
  /** Whether something was seen besides the bindings. */
  readonly hasSeen: boolean;
}

/** Finds what hooks and hooklet need; undefined: the operator of `--observed` does not answer, which is printed. */
export async function findNeeds(
  paths: readonly string[],
  flags: NeedsFlags,
  account: Account,
): Promise<FoundNeeds | undefined> {
  const scenarios = flags.scenarios === undefined ? [] : await storiesAt(flags.scenarios);
  const find = await resourcesOf(flags, scenarios);
  const names = new Set(Object.values<OptionSpec<unknown>>(FEATURE_OPTIONS).map(({ flag }) => attributeName(flag)));
  const given: Flags = Object.fromEntries(Object.entries(flags).filter(([name]) => names.has(name)));
  const features = featuresOf(resolveOptions(FEATURE_OPTIONS, given, process.env), account.namespace);
  const hooks = await hooksAt(paths, account);
  const known = [...hooks.flatMap((hook) => bindingNeeds(hook, find)), ...hookletNeeds(hooks, features)];
  const asked = flags.audit === undefined ? [] : await auditNeeds(flags.audit, { hooks, known, account });
  const observed = flags.observed === true ? await observedNeeds(flags, find) : [];
  if (observed === undefined) return undefined;
  const tested = await testedNeeds(scenarios, { hooks, find, home: account.namespace });
  const seen = [...seenNeeds([...asked, ...tested], known), ...observed];
  return {
    needs: flags.onlySeen === true ? seen : [...withoutSeen(known, seen), ...seen],
    hasSeen: flags.audit !== undefined || flags.observed === true || scenarios.length > 0,
  };
}

/** Finds kinds among the built-in ones, those of `--crds` and those that scenarios define. */
export async function resourcesOf(
  { crds }: Pick<NeedsFlags, 'crds'>,
  scenarios: readonly Scenario[],
): Promise<FindResource> {
  const given = crds === undefined ? [] : await readManifests('--crds', crds);
  return resourcesAmong([...builtInKinds(), ...kindsOfDefinitions([...given, ...scenarios.flatMap(objectsIn)])]);
}

/** What is known to be needed, with what the hooks do in scenarios. */
export async function withTested(
  known: readonly Need[],
  scenarios: readonly Scenario[],
  options: ScenarioNeedsOptions,
): Promise<readonly Need[]> {
  const seen = seenNeeds(await testedNeeds(scenarios, options), known);
  return [...withoutSeen(known, seen), ...seen];
}

/** A need that was seen has the reason of the known one in its own. */
function withoutSeen(known: readonly Need[], seen: readonly Need[]): readonly Need[] {
  const keyOf = ({ of, group, resource, verb, namespace, name }: Need): string =>
    JSON.stringify([of, group, resource, verb, namespace, name]);
  const reasons = Map.groupBy(seen, keyOf);
  return known.filter((one) => !reasons.get(keyOf(one))?.some(({ reason }) => reason.startsWith(`${one.reason};`)));
}

function objectsIn({ file, line, given }: Scenario): readonly PlacedObject[] {
  return given.objects.map((object) => ({ file, line, object }));
}

async function testedNeeds(scenarios: readonly Scenario[], options: ScenarioNeedsOptions): Promise<readonly Need[]> {
  if (scenarios.length === 0) return [];
  const { needs, notRun, foreign } = scenarioNeeds(await tellStories(scenarios), options);
  if (notRun.length > 0) warn(`in no scenario, so what they write is not known: ${notRun.join(', ')}`);
  if (foreign.length > 0) warn(`hooks of the scenarios that are not asked about: ${foreign.join(', ')}`);
  return needs;
}

async function hooksAt(paths: readonly string[], { namespace }: Account): Promise<readonly Hook[]> {
  const { hooksDir } = resolveOptions({ hooksDir: startOptions.hooksDir }, {}, process.env);
  // Hooks name the namespace in which they will run.
  const env = { POD_NAMESPACE: namespace, ...process.env };
  return loadAllHooks(paths.length === 0 ? [hooksDir] : paths, { env, warn });
}

async function observedNeeds(flags: SocketFlags, find: FindResource): Promise<readonly Need[] | undefined> {
  const observed = await readObserved(flags);
  return observed?.flatMap((one) => operationNeeds(one, find));
}

interface Audited {
  readonly hooks: readonly Hook[];
  readonly known: readonly Need[];
  readonly account: Account;
}

async function auditNeeds(path: string, { hooks, known, account }: Audited): Promise<readonly Need[]> {
  const events = await readAuditFile(path, ownerOf(account, hooks));
  const asked = events.needs();
  tellAudit(events, account);
  tellUnseen(asked, known);
  return asked;
}

function tellAudit(events: AuditEvents, account: Account): void {
  const { requests, foreign, foreignUsers, broken, lines } = events.summary();
  const users = foreignUsers.slice(0, MAX_SHOWN).join(', ');
  if (requests === 0)
    warn(`no request of ${userOf(account)} is in the audit log: give its account with --service-account`);
  if (foreign > 0)
    warn(`${foreign} requests of other users were skipped: ${users}${foreignUsers.length > MAX_SHOWN ? ', …' : ''}`);
  if (broken > 0) warn(`${broken} of ${lines} lines are no audit events and were skipped`);
}

function tellUnseen(asked: readonly Need[], known: readonly Need[]): void {
  const rare = unseen(asked, known).filter(({ isOptional }) => isOptional !== true);
  const rights = [
    ...new Set(rare.map(({ verb, group, resource }) => `${verb} ${resource}${group === '' ? '' : `.${group}`}`)),
  ];
  if (rights.length === 0) return;
  warn(`needed by bindings, but not seen in the audit log: ${rights.slice(0, MAX_RIGHTS).join(', ')}`);
}

const MAX_SHOWN = 5;
const MAX_RIGHTS = 40;

/** Hooks with an account of their own ask as themselves; hooklet asks for all others. */
function ownerOf(account: Account, hooks: readonly Pick<Hook, 'name'>[]): Parameters<typeof readAuditFile>[1] {
  const users = new Map(
    hooks.map(({ name: hook }) => [
      userOf({ ...account, name: accountName(account.name, hook) }),
      { type: 'hook', hook } as const,
    ]),
  );
  return (user) => (user === userOf(account) ? { type: 'hooklet' } : users.get(user));
}

/** The name of a ServiceAccount as a user. */
export function userOf({ namespace, name }: Account): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
