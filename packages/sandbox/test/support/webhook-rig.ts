import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox.ts';
import { sandboxForTest } from './sandbox.ts';
import { WebhookServer } from './webhook-server.ts';
import type { TestCertificate } from './certificate.ts';

/** A sandbox and a server for its webhooks, which both end with the test. */
export async function webhookRig(
  options?: SandboxOptions,
  certificate?: TestCertificate,
): Promise<{ readonly sandbox: Sandbox; readonly server: WebhookServer }> {
  const server = await WebhookServer.start(certificate);
  onTestFinished(async () => server[Symbol.asyncDispose]());
  return { server, sandbox: await sandboxForTest(options) };
}

/** A configuration with one webhook for all writes of ConfigMaps. */
export function configuration(
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
  clientConfig: JsonObject,
  changes: JsonObject = {},
): JsonObject {
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'rig' },
    webhooks: [
      {
        name: 'rig.example.com',
        clientConfig,
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...changes,
      },
    ],
  };
}

/** A ConfigMap in the namespace default. */
export function map(name: string, data: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

/** The path of ConfigMaps in the namespace default. */
export const MAPS = '/api/v1/namespaces/default/configmaps';
