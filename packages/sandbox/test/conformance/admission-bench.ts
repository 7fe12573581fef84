import { onTestFinished } from 'vitest';
import { WebhookServer } from '../support/webhook-server.ts';
import type { Client } from './client.ts';
import type { Bench } from './target.ts';
import { configMap, configMaps, eventually, freshName } from './target.ts';

/** A webhook of a law: its path on the server, and how it differs from one for all writes of ConfigMaps. */
export interface LawHook {
  readonly path: string;
  readonly [field: string]: unknown;
}

/** What the laws about admission work with: a server for webhooks, and a namespace in which alone they are called. */
export interface AdmissionBench {
  readonly client: Client;
  readonly server: WebhookServer;
  readonly namespace: string;
  /** Registers webhooks in one configuration, and returns when the API server calls them. */
  readonly register: (phase: 'Mutating' | 'Validating', hooks: readonly LawHook[], name?: string) => Promise<void>;
}

const GROUP = 'admissionregistration.k8s.io/v1';

/** The collection of the configurations of a phase. */
export function configurations(phase: 'Mutating' | 'Validating', name?: string): string {
  const plural = `${phase.toLowerCase()}webhookconfigurations`;
  return `/apis/${GROUP}/${plural}${name === undefined ? '' : `/${name}`}`;
}

/** A bench for one law; what it made is gone when the law ends. */
export async function admissionBench({ client, namespace }: Bench): Promise<AdmissionBench> {
  const server = await WebhookServer.start();
  onTestFinished(async () => server[Symbol.asyncDispose]());
  const own = await namespace();
  return {
    client,
    server,
    namespace: own,
    register: async (phase, hooks, name = freshName('law')) => {
      const ready = `/ready/${freshName('r')}`;
      const probe = { path: ready, objectSelector: { matchLabels: { law: 'probe' } }, rules: [configMapRule()] };
      const webhooks = [probe, ...hooks].map((hook) => webhook(server, own, hook));
      const body = { apiVersion: GROUP, kind: `${phase}WebhookConfiguration`, metadata: { name }, webhooks };
      const made = await client.post(configurations(phase), body);
      if (made.status !== 201) throw new Error(`cannot register webhooks: ${made.status} ${made.text}`);
      onTestFinished(async () => {
        await client.delete(configurations(phase, name));
      });
      const labeled = configMap('probe', { metadata: { name: 'probe', labels: { law: 'probe' } } });
      await eventually(
        () => client.post(`${configMaps(own)}?dryRun=All`, labeled),
        () => server.at(ready).length > 0,
      );
      server.seen.length = 0;
    },
  };
}

/** A rule for ConfigMaps. */
export function configMapRule(changes: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'], ...changes };
}

function webhook(server: WebhookServer, namespace: string, hook: LawHook): unknown {
  const { path, ...changes } = hook;
  return {
    name: `${path.replaceAll('/', '-').replace(/^-+/, '')}.laws.example.com`,
    clientConfig: server.client(path),
    rules: [configMapRule()],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    objectSelector: { matchExpressions: [{ key: 'law', operator: 'DoesNotExist' }] },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...changes,
  };
}
