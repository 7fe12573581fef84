import { onTestFinished } from 'vitest';
import type { Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { apiPath } from '../../../src/kube/api-path.ts';
import type { ResourceKind } from '../../../src/kube/kind.ts';
import { asJsonObject, text, type KubeObject } from '../../../src/kube/object.ts';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import type { WatchSubscriber } from '../../../src/kube/watch/shared-watch.ts';
import { createWatches, type Watches } from '../../../src/kube/watch/shared-watches.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { bundleToRegister } from '../../../src/server/certificates/bundle.ts';
import type { Certificates, RegisteredBundles } from '../../../src/server/certificates/certificates.ts';
import { Changes } from '../../../src/lib/changes.ts';
import { keepLooking } from '../../../src/server/certificates/looking.ts';
import { sandboxCluster } from '../operator-rig.ts';
import { recordingLogger } from '../recording-logger.ts';

const GROUP = 'admissionregistration.k8s.io';
const CONFIGURATION: ResourceKind = {
  group: GROUP,
  version: 'v1',
  apiVersion: `${GROUP}/v1`,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  singular: 'validatingwebhookconfiguration',
  shortNames: [],
  isNamespaced: false,
  verbs: ['list', 'watch'],
  subresources: [],
};
const COLLECTION = apiPath('apis', GROUP, 'v1', CONFIGURATION.plural);

/** A registered object, with one webhook. */
export function configuration(name: string, caBundle = '') {
  const clientConfig = { url: 'https://hooks.default.svc/', ...(caBundle !== '' && { caBundle: encode(caBundle) }) };
  const webhook = { name: `${name}.example.com`, clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] };
  return { apiVersion: CONFIGURATION.apiVersion, kind: CONFIGURATION.kind, metadata: { name }, webhooks: [webhook] };
}

/** Reads the bundle of a registered object. */
export function bundleOf(object: unknown): string {
  const webhooks: unknown = asJsonObject(object)['webhooks'];
  const [first]: readonly unknown[] = Array.isArray(webhooks) ? webhooks : [];
  return Buffer.from(text(asJsonObject(asJsonObject(first)['clientConfig'])['caBundle']), 'base64').toString('utf8');
}

function encode(pem: string): string {
  return Buffer.from(pem).toString('base64');
}

/** What is registered, by a watch. */
export class WatchedBundles implements RegisteredBundles, WatchSubscriber {
  readonly keepsObjects = false;
  readonly objects = new Map<string, { readonly bundle: string; readonly resourceVersion: string }>();
  readonly #changes = new Changes();
  #isKnown = false;

  constructor(watches: Watches) {
    watches.subscribe({ kind: CONFIGURATION }, this);
  }

  bundles = (): readonly string[] | undefined =>
    this.#isKnown ? [...this.objects.values()].map(({ bundle }) => bundle) : undefined;
  changes = (signal: AbortSignal): AsyncIterable<void> => this.#changes.follow(signal);
  listStarted(): void {}
  listed(_: unknown, object: KubeObject): void {
    this.#see(object);
  }
  listDone(gone: readonly { readonly name: string }[]): void {
    for (const { name } of gone) this.objects.delete(name);
    this.#isKnown = true;
    this.#changes.notify();
  }
  changed({ type, object }: { readonly type: string; readonly object?: KubeObject }): void {
    if (object === undefined) return;
    if (type === 'Deleted') this.objects.delete(object.name);
    else this.#see(object);
  }
  failed(): void {}
  recovered(): void {}

  #see({ name, value, resourceVersion }: KubeObject): void {
    this.objects.set(name, { bundle: bundleOf(value), resourceVersion });
    this.#changes.notify();
  }
}

/** A sandbox with a connection for each replica. */
export async function certificateSandbox() {
  const sandbox = await sandboxForTest();
  return { sandbox, connect: async () => connect(sandbox) };
}

export type Connection = Awaited<ReturnType<typeof connect>>;

async function connect(sandbox: Sandbox) {
  const client = createKubeClient(await sandboxCluster(sandbox)(), { userAgent: 'test' });
  onTestFinished(async () => client.close());
  const metrics = createMetrics('');
  const log = recordingLogger();
  const watches = createWatches({ client, kinds: { invalidate: () => {} }, log: recordingLogger(), metrics });
  const events: { type: string; reason: string; message: string }[] = [];
  const recorder = { record: (event: (typeof events)[number]) => void events.push(event) };
  return { client, metrics, log, watches, events, recorder, registered: new WatchedBundles(watches) };
}

/** Keeps the bundle of these objects, as each replica does. */
export async function keepRegistered(
  { client, registered }: Connection,
  certificates: Certificates,
  { names, now }: { readonly names: readonly string[]; readonly now: () => number },
  signal: AbortSignal,
): Promise<void> {
  const write = async (name: string, end: AbortSignal): Promise<void> => {
    const { caBundle } = certificates;
    if (caBundle === undefined || registered.bundles() === undefined) return;
    const seen = registered.objects.get(name);
    if (seen === undefined) {
      await client.request(
        { method: 'POST', path: COLLECTION, body: JSON.stringify(configuration(name, caBundle)) },
        end,
      );
      return;
    }
    const bundle = bundleToRegister(seen.bundle, caBundle, now());
    if (bundle === undefined) return;
    const metadata = { resourceVersion: seen.resourceVersion };
    const body = JSON.stringify({ metadata, webhooks: configuration(name, bundle).webhooks });
    const path = `${COLLECTION}/${name}`;
    await client.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' }, end);
  };
  const look = async (end: AbortSignal): Promise<number> => {
    // After a conflict it is seen again.
    for (const name of names) await write(name, end).catch(() => {});
    return 1000;
  };
  await keepLooking({ look, changes: [(end) => certificates.changes(end), (end) => registered.changes(end)] }, signal);
}
