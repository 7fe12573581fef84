import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, startOperator, type OperatorRig } from '../support/operator-rig.ts';
import { startProgram, type Program } from '../support/program.ts';
import { webSiteDefinition } from '../support/web-site.ts';
import type { AuditEntry } from './audit.ts';
import { connectAs, handsOn, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
export const GROUP = 'reconcile.example.com';
export const BARE = 'bare.reconcile.example.com';
const RBAC = 'rbac.authorization.k8s.io';
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const OWNS = [
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
];
export const CORE = { apiGroups: [''], resources: ['configmaps', 'services'] };
export const ALL = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
export const READ = ['get', 'list', 'watch'];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** All that a hook of these tests needs. */
export const RULES: readonly Rule[] = [
  { apiGroups: [GROUP, BARE], resources: ['websites', 'websites/status', 'pages', 'sheets'], verbs: ALL },
  { ...CORE, verbs: ALL },
  { apiGroups: ['apps'], resources: ['deployments'], verbs: ALL },
];

/** Access for the current test, with WebSites of both groups served. */
export async function siteHands(): Promise<Hands> {
  const hands = await handsOn(plane);
  for (const group of [GROUP, BARE]) {
    await define(hands, webSiteDefinition(group, group === GROUP)).catch(() => undefined);
    await until(async () => hands.call('GET', sitePath(hands, group)).then(() => undefined));
  }
  return hands;
}

/** Creates a definition. */
export async function define(hands: Pick<Hands, 'call'>, definition: object): Promise<void> {
  await hands.call('POST', DEFINITIONS, definition);
}

/** Grants the user nobody rules in the namespace. */
export async function grant({ call, namespace }: Hands, name: string, rules: readonly Rule[]): Promise<void> {
  const path = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  const common = { apiVersion: `${RBAC}/v1`, metadata: { name } };
  await call('POST', `${path}/roles`, { ...common, kind: 'Role', rules });
  const roleRef = { apiGroup: RBAC, kind: 'Role', name };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'nobody' }];
  await call('POST', `${path}/rolebindings`, { ...common, kind: 'RoleBinding', roleRef, subjects });
}

/** A hook whose answer is `spec.answer` of the site. */
export function siteHook({ namespace }: Hands, fields: object = {}, body = ''): string {
  const binding = { name: 'sites', apiVersion: `${GROUP}/v1`, kind: 'WebSite', owns: OWNS };
  const matchNames = { nameSelector: { matchNames: [namespace] } };
  const answer = `jq -c '.[0] | .object.spec.answer + {finalized: .finalizing}' "$BINDING_CONTEXT_PATH" > "$RESULT_PATH"`;
  const config = { configVersion: 'v1', reconcile: [{ ...binding, namespace: matchNames, ...fields }] };
  return recordingHook(config, `${body}\n${answer}`);
}

export function operatorOf(hook: string, others: Readonly<Record<string, string>> = {}): OperatorRig {
  return startOperator({ connect: connectAs(plane, 'nobody'), hooks: { ...others, 'site.sh': hook } });
}

/** A hook that is called for each change of the site, and does nothing: its runs say what the operator has seen. */
export function siteWitness({ namespace }: Hands): string {
  const matchNames = { nameSelector: { matchNames: [namespace] } };
  const binding = { name: 'sites', apiVersion: `${GROUP}/v1`, kind: 'WebSite', namespace: matchNames };
  return recordingHook({
    configVersion: 'v1',
    kubernetes: [{ ...binding, executeHookOnEvent: ['Modified'], executeHookOnSynchronization: false, queue: 'seen' }],
  });
}

export function sitePath({ namespace }: Hands, group = GROUP): string {
  return `/apis/${group}/v1/namespaces/${namespace}/websites`;
}

export async function putSite(hands: Hands, answer: object, group = GROUP): Promise<void> {
  const object = { apiVersion: `${group}/v1`, kind: 'WebSite', metadata: { name: 'a' }, spec: { answer } };
  await hands.call('POST', sitePath(hands, group), object);
}

export async function changeSite(hands: Hands, answer: object): Promise<void> {
  await hands.patch(`${sitePath(hands)}/a`, { spec: { answer } });
}

interface Read {
  readonly metadata: { readonly uid: string; readonly name: string };
  readonly status?: { readonly conditions?: readonly Readonly<Record<string, unknown>>[] };
}

export async function read({ call }: Hands, path: string): Promise<Read | undefined> {
  return (await call('GET', path).catch(() => undefined)) as Read | undefined;
}

export async function readyOf(hands: Hands): Promise<Readonly<Record<string, unknown>> | undefined> {
  const site = await read(hands, `${sitePath(hands)}/a`);
  return site?.status?.conditions?.find(({ type }) => type === 'Ready');
}

/** The writes of the user nobody in the namespace, as `verb resource name code`. */
export async function writesIn({ namespace }: Hands): Promise<readonly string[]> {
  const isWrite = (entry: AuditEntry): boolean =>
    entry.namespace === namespace && entry.user === 'nobody' && !['get', 'list', 'watch'].includes(entry.verb);
  const entries = (await plane.auditLog()).filter(isWrite);
  return entries.map(
    ({ verb, resource, subresource, name, code }) =>
      `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${name} ${code}`,
  );
}

export function map(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { k: 'v' } };
}

const POD = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      { name: 'c', image: 'nginx', ports: [{ containerPort: 80 }], resources: { limits: { cpu: '1000m' } } },
    ],
  },
};
export const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template: POD },
};
export const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
};

export function pageDefinition(plural = 'pages', kind = 'Page'): object {
  const { spec, ...rest } = webSiteDefinition(GROUP);
  const names = { plural, singular: kind.toLowerCase(), kind };
  return { ...rest, metadata: { name: `${plural}.${GROUP}` }, spec: { ...spec, names } };
}

interface Replica {
  /** The folder that its hook knows as `$OUT`. */
  readonly out: string;
  start(): Program;
}

/** A process of the operator with leader election. */
export function replica(hands: Hands, name: string, body: string): Replica {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const [hooks, out, config] = ['hooks', 'out', 'kubeconfig'].map((part) => join(folder.path, part)) as [
    string,
    string,
    string,
  ];
  mkdirSync(hooks);
  mkdirSync(out);
  writeFileSync(join(hooks, 'site.sh'), siteHook(hands, {}, body));
  chmodSync(join(hooks, 'site.sh'), 0o755);
  writeFileSync(config, plane.kubeconfig('nobody'));
  const pod = { POD_NAME: name, POD_NAMESPACE: hands.namespace };
  const env = { ...pod, OUT: out, KUBECONFIG: config };
  const flags = ['--hooks-dir', hooks, '--tmp-dir', join(folder.path, 'tmp'), '--listen-port', '0', '--leader-elect'];
  return { out, start: () => startProgram(['start', ...flags, '--listen-address', '127.0.0.1'], { env }) };
}
