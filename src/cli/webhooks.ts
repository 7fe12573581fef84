import { request } from 'node:https';
import type { KubeClient } from '../kube/client.ts';
import { apiPath } from '../kube/api-path.ts';
import { resourcePath } from '../kube/kind.ts';
import { asJsonObject, text, type JsonObject } from '../kube/object.ts';
import { eventually } from '../lib/deadline.ts';
import { printable } from '../lib/printable.ts';
import { configurationKind, type ConfigurationKind } from '../sources/admission/configuration-kind.ts';
import { bundleOf, MANAGED_BY, readRegistered, type Registered } from '../sources/admission/registered.ts';
import { textTable } from './text-table.ts';

/** What the `webhooks` commands work on: the API server itself, so that they work where no hooklet runs. */
export interface WebhooksIo {
  readonly client: Pick<KubeClient, 'request'>;
  readonly stdout: (text: string) => void;
  readonly signal: AbortSignal;
}

interface Configuration extends Registered {
  readonly kind: ConfigurationKind;
  readonly name: string;
}

const KINDS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'] as const;
const PROBE_LIMIT_MS = 5000;

/**
 * `hooklet webhooks list`: prints each webhook that hooklet has registered, and whether anybody would answer it; resolves
 * to the exit code, 1 when nobody would.
 */
export async function listWebhooks(io: WebhooksIo): Promise<number> {
  const configurations = await find(io);
  if (configurations.length === 0) {
    io.stdout('no webhooks of hooklet\n');
    return 0;
  }
  const known = new Map<string, Promise<string | undefined>>();
  const rows: string[][] = [];
  let orphans = 0;
  for (const configuration of configurations) {
    for (const webhook of configuration.webhooks) {
      const problem = await problemOf(webhook, known, io);
      if (problem !== undefined) orphans += 1;
      const name = `${KIND_WORDS[configuration.kind]}/${configuration.name}`;
      const answers = problem === undefined ? 'yes' : `no: ${problem}`;
      rows.push([name, text(webhook['name']), text(webhook['failurePolicy']), placeOf(webhook), answers]);
    }
    if (configuration.webhooks.length === 0) {
      rows.push([`${KIND_WORDS[configuration.kind]}/${configuration.name}`, '(none)', '', '', '']);
    }
  }
  io.stdout(textTable(['CONFIGURATION', 'WEBHOOK', 'FAILURE', 'PLACE', 'ANSWERS'], rows));
  if (orphans === 0) return 0;
  io.stdout(`\n${orphans} of them nobody answers: start hooklet, or take them back with hooklet webhooks remove\n`);
  return 1;
}

/**
 * `hooklet webhooks remove`: shows the webhook configurations that it would delete, and with `isSure` deletes them. A
 * hooklet that runs registers its own again.
 */
export async function removeWebhooks(name: string | undefined, isSure: boolean, io: WebhooksIo): Promise<number> {
  const configurations = (await find(io)).filter((one) => name === undefined || one.name === name);
  for (const { kind, name: found, uid, webhooks } of configurations) {
    const path = resourcePath(configurationKind(kind), { name: found });
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } });
    if (isSure) await io.client.request({ method: 'DELETE', path, body }, io.signal);
    const what = printable(`${kind} ${found} with ${webhooks.length} webhook(s)`);
    io.stdout(`${isSure ? 'removed' : 'would remove'} ${what}\n`);
  }
  if (configurations.length === 0) io.stdout('no webhooks of hooklet\n');
  else if (!isSure) io.stdout('nothing is changed; add --yes to remove them\n');
  else io.stdout('a hooklet that runs registers its own again; conversions of CustomResourceDefinitions are left\n');
  return 0;
}

const KIND_WORDS = { MutatingWebhookConfiguration: 'mutating', ValidatingWebhookConfiguration: 'validating' } as const;

async function find({ client, signal }: WebhooksIo): Promise<readonly Configuration[]> {
  const query = { labelSelector: `${MANAGED_BY.key}=${MANAGED_BY.value}` };
  const lists = KINDS.map(async (kind) => {
    const list = asJsonObject(
      await client.request({ method: 'GET', path: resourcePath(configurationKind(kind), {}), query }, signal),
    );
    const items = Array.isArray(list['items']) ? list['items'].map(asJsonObject) : [];
    return items.map((item) => ({ kind, name: nameOf(item), ...readRegistered(item) }));
  });
  // The label alone may be that of a child of a reconcile hook.
  return (await Promise.all(lists)).flat().filter(({ namespace }) => namespace !== undefined);
}

function nameOf(object: JsonObject): string {
  return text(asJsonObject(object['metadata'])['name']);
}

interface Service {
  readonly namespace: string;
  readonly name: string;
}

function serviceOf(webhook: JsonObject): Service | undefined {
  const service = asJsonObject(asJsonObject(webhook['clientConfig'])['service']);
  const [namespace, name] = [text(service['namespace']), text(service['name'])];
  return namespace === '' || name === '' ? undefined : { namespace, name };
}

function placeOf(webhook: JsonObject): string {
  const service = serviceOf(webhook);
  return service === undefined
    ? text(asJsonObject(webhook['clientConfig'])['url'])
    : `Service ${service.namespace}/${service.name}`;
}

/** Why nobody would answer a webhook; looked up once for each place. */
async function problemOf(
  webhook: JsonObject,
  known: Map<string, Promise<string | undefined>>,
  io: WebhooksIo,
): Promise<string | undefined> {
  const service = serviceOf(webhook);
  const { url } = asJsonObject(webhook['clientConfig']);
  const place = service === undefined ? new URL('/healthz', text(url)).href : placeOf(webhook);
  const problem =
    known.get(place) ??
    (service === undefined ? probe(place, bundleOf(webhook), io.signal) : serviceProblem(service, io));
  known.set(place, problem);
  return problem;
}

/** Whether a Service has a Pod that is ready. */
async function serviceProblem(
  { namespace, name }: Service,
  { client, signal }: WebhooksIo,
): Promise<string | undefined> {
  const path = apiPath('apis', 'discovery.k8s.io', 'v1', 'namespaces', namespace, 'endpointslices');
  const query = { labelSelector: `kubernetes.io/service-name=${name}` };
  try {
    const list = asJsonObject(await client.request({ method: 'GET', path, query }, signal));
    const slices = Array.isArray(list['items']) ? list['items'].map(asJsonObject) : [];
    const ready = slices
      .flatMap(({ endpoints }) => (Array.isArray(endpoints) ? endpoints.map(asJsonObject) : []))
      .filter(({ conditions }) => asJsonObject(conditions)['ready'] !== false);
    return ready.length > 0 ? undefined : 'no replica is ready';
  } catch (error) {
    return `unknown, ${messageOf(error)}`;
  }
}

/** Whether a server answers at a URL, with a certificate that the bundle trusts. */
async function probe(url: string, ca: string, signal: AbortSignal): Promise<string | undefined> {
  const late = (): string => `no answer within ${PROBE_LIMIT_MS / 1000} s`;
  return eventually<string | undefined>({ limitMs: PROBE_LIMIT_MS, late, signal }, ({ resolve }) => {
    const out = request(url, { ...(ca !== '' && { ca }), agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`);
    });
    out.on('error', (error) => resolve(messageOf(error)));
    out.end();
    return () => out.destroy();
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
