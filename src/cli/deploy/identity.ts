import { merged, type Fields } from './merge.ts';
import { isObject } from '../../lib/json-object.ts';

/** What an installation is called, and where it is. */
export interface Installation {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  /** Absent: as many as the components say. */
  readonly replicas?: number;
}

/** The name of the installation, and of its namespace, in `deploy/`. */
const OWN = 'hooklet';
/** What several installations in one cluster must call differently, and by which variable each is told. */
const NAMED: readonly (readonly [variable: string, value: (name: string) => string])[] = [
  ['HOOKLET_LEADER_ELECTION_LEASE_NAME', (name) => name],
  ['HOOKLET_DEAD_LETTERS', (name) => `configmap:${name}-dead-letters`],
];
const WEBHOOKS: typeof NAMED = [
  ['HOOKLET_VALIDATING_WEBHOOK_CONFIGURATION_NAME', (name) => name],
  ['HOOKLET_VALIDATING_WEBHOOK_SERVICE_NAME', (name) => `${name}-webhooks`],
  ['HOOKLET_CONVERSION_WEBHOOK_SERVICE_NAME', (name) => `${name}-conversions`],
];

const JOBS: typeof NAMED = [['HOOKLET_JOBS_SERVICE_NAME', (name) => `${name}-jobs`]];
const SHARDS: typeof NAMED = [['HOOKLET_SHARDS_LEASE_NAME', (name) => `${name}-shards`]];
const WORKERS: typeof NAMED = [['HOOKLET_WORKERS_ACCOUNT', (name) => `${name}-workers`]];

/** The objects of `deploy/` under another name, in another namespace, with an image. */
export function installed(objects: readonly Fields[], installation: Installation): readonly Fields[] {
  return objects.map((object) => {
    const named = renamed(object, [], installation);
    if (!isObject(named)) throw new Error('an object stays an object');
    if (named['kind'] === 'Namespace') return merged(named, { metadata: { name: installation.namespace } });
    if (named['kind'] !== 'Deployment') return named;
    return isOperator(named, installation)
      ? operator(named, installation, objects)
      : withContainer(named, installation);
  });
}

/** Not of workers, which know nothing of the names of the others. */
function isOperator({ metadata }: Fields, { name }: Installation): boolean {
  return isObject(metadata) && metadata['name'] === name;
}

function operator(object: Fields, installation: Installation, all: readonly Fields[]): Fields {
  const { name, replicas } = installation;
  const env = name === OWN ? [] : variables(JSON.stringify([object, all]), name);
  const deployment = withContainer(object, installation, env);
  return replicas === undefined ? deployment : merged(deployment, { spec: { replicas } });
}

function withContainer(object: Fields, { image }: Installation, env: readonly Fields[] = []): Fields {
  return merged(object, { spec: { template: { spec: { containers: [{ name: OWN, image, env }] } } } });
}

/** What is told by the objects of the installation, as JSON. */
function variables(text: string, name: string): readonly Fields[] {
  const schedules = text.includes('HOOKLET_SCHEDULE_STATE')
    ? [{ name: 'HOOKLET_SCHEDULE_STATE', value: `configmap/${name}-schedules` }]
    : [];
  const named = [
    ...NAMED,
    ...(text.includes('/readyz/webhooks') ? WEBHOOKS : []),
    ...(text.includes('"name":"jobs"') ? JOBS : []),
    ...(text.includes('"HOOKLET_SHARDS"') ? SHARDS : []),
    ...(text.includes('"serviceAccountName":"hooklet-workers"') ? WORKERS : []),
  ];
  return [...named.map(([variable, value]) => ({ name: variable, value: value(name) })), ...schedules];
}

/** Replaces names and namespaces where they are: `path` has the keys above a value. */
function renamed(value: unknown, path: readonly string[], installation: Installation): unknown {
  if (Array.isArray(value)) return value.map((one) => renamed(one, path, installation));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, one]) => [key, renamed(one, [...path, key], installation)]);
    return Object.fromEntries(entries);
  }
  return typeof value === 'string' ? renamedText(value, path, installation) : value;
}

function renamedText(value: string, path: readonly string[], { name, namespace }: Installation): string {
  const [key = '', above = ''] = path.toReversed();
  if (key === 'namespace' && value === OWN) return namespace;
  if (key === 'app.kubernetes.io/name' || key === 'serviceAccountName') return otherName(value, name);
  if (key === 'args') return value.replace(`https://${OWN}-jobs.`, `https://${name}-jobs.`);
  return name !== OWN && isNameOfObject(key, above) ? otherName(value, name) : value;
}

function isNameOfObject(key: string, above: string): boolean {
  if (key === 'name') return ['metadata', 'roleRef', 'subjects', 'service', 'secret'].includes(above);
  return key === 'resourceNames' || key === 'secretName';
}

function otherName(value: string, name: string): string {
  const known: Readonly<Record<string, string>> = {
    'shell-operator-validating-svc': `${name}-webhooks`,
    'shell-operator-conversion-svc': `${name}-conversions`,
    'shell-operator-hooks-hooks': `${name}-hooks`,
  };
  if (value === OWN || value.startsWith(`${OWN}-`)) return name + value.slice(OWN.length);
  return known[value] ?? value;
}
