import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AccessAttributes, JsonObject, Sandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { main } from '../../src/cli/program/program.ts';
import { CONVERTER_OWNER } from '../../src/sources/conversion/crd-conversion.ts';
import { writtenBy } from '../../src/sources/admission/registered.ts';
import { createCertificate } from '../support/certificate.ts';
import { cronTabDefinition } from '../support/conversion-crd.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { kubeconfigFile } from '../support/kubeconfig-file.ts';
import { startProgram } from '../support/program.ts';

const rule = (group: string, resource: string, verbs: string): string =>
  `add the rule {apiGroups: ["${group}"], resources: [${resource}], verbs: [${verbs}]} to `;

const caBundle = Buffer.from(createCertificate().cert).toString('base64');

const CONFIGURATION: JsonObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: JSON.parse(JSON.stringify({ name: 'a-hooks', ...writtenBy({ generation: 1, name: 'x' }, 'ns') })),
  webhooks: [
    {
      name: 'a.example.com',
      clientConfig: { caBundle, service: { namespace: 'default', name: 'a' } },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
    },
  ],
};
const SITE: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'site', namespace: 'default', finalizers: ['hooklet.dev/sites-01234567'] },
};
const hookOf = (binding: object, body = ''): string => `#!/bin/sh
if [ "$1" = --config ]; then echo '${JSON.stringify({ configVersion: 'v1', kubernetes: [binding] })}'; exit; fi
${body}
`;
const PATCHES = hookOf(
  { kind: 'ConfigMap' },
  `echo '{"operation":"MergePatch","kind":"ConfigMap","namespace":"default","name":"site","mergePatch":{"data":{"a":"b"}}}' > "$KUBERNETES_PATCH_PATH"`,
);

/** A cluster of an administrator, until this `verb resource` is refused. */
async function clusterRefusing(refused: string): Promise<Sandbox> {
  let isAdmin = true;
  const sandbox = await sandboxForTest({
    authorize: ({ verb, resource }: AccessAttributes) =>
      isAdmin || !new RegExp(`^(?:${refused})$`).test(`${verb} ${resource}`),
  });
  const definition = Object(cronTabDefinition(['v1']));
  const { metadata, spec } = definition;
  const conversion = {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { caBundle, url: 'https://127.0.0.1:1/crontabs.example.com' },
      conversionReviewVersions: ['v1'],
    },
  };
  const annotations = { [CONVERTER_OWNER]: 'ns/a' };
  await sandbox.apply({
    ...definition,
    metadata: { ...metadata, annotations },
    spec: { ...spec, conversion },
  });
  for (const object of [CONFIGURATION, SITE]) await sandbox.apply(object);
  isAdmin = false;
  return sandbox;
}

function filesOf(sandbox: Sandbox): { readonly kubeConfig: string; readonly hooks: string; readonly path: string } {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const hooks = join(folder.path, 'hooks');
  mkdirSync(hooks);
  writeFileSync(join(hooks, 'a.sh'), PATCHES, { mode: 0o755 });
  return { kubeConfig: kubeconfigFile(folder.path, sandbox), hooks, path: folder.path };
}

async function printed(args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await main(args);
    const text = [...out.mock.calls, ...err.mock.calls].map(([one]) => String(one)).join('');
    return { code, text: text.replaceAll('\\"', '"') };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

const CRDS = ['apiextensions.k8s.io', 'customresourcedefinitions'] as const;
const CONFIGURATIONS = ['admissionregistration.k8s.io', 'validatingwebhookconfigurations'] as const;

describe('a request of a command that the API server forbids', () => {
  it.each([
    ['finalizers list configmaps', 'list configmaps', 1, rule('', 'configmaps', 'list, watch')],
    ['finalizers list configmaps --object default/site', 'get configmaps', 1, rule('', 'configmaps', 'get')],
    ['finalizers release configmaps --yes', 'patch configmaps', 1, rule('', 'configmaps', 'patch')],
    ['webhooks list', 'list validatingwebhookconfigurations', 1, rule(...CONFIGURATIONS, 'list, watch')],
    ['webhooks list', 'list customresourcedefinitions', 1, rule(...CRDS, 'list, watch')],
    ['webhooks list', 'list endpointslices', 1, rule('discovery.k8s.io', 'endpointslices', 'list, watch')],
    ['webhooks remove --yes', 'delete validatingwebhookconfigurations', 1, rule(...CONFIGURATIONS, 'delete')],
    ['webhooks remove --yes --converters', 'patch customresourcedefinitions', 1, rule(...CRDS, 'patch')],
    ['diff HOOKS', '(?:list|watch) configmaps', 2, rule('', 'configmaps', 'list, watch')],
    ['diff HOOKS', 'patch configmaps', 2, rule('', 'configmaps', 'patch')],
    ['diff HOOKS', 'get configmaps', 1, rule('', 'configmaps', 'get')],
  ])('hooklet %s, refused %s: ends with %i and names the rule', async (command, refused, code, expected) => {
    const { kubeConfig, hooks } = filesOf(await clusterRefusing(refused));
    const args = command.split(' ').map((word) => (word === 'HOOKS' ? hooks : word));
    const limit = args[0] === 'diff' ? ['--timeout', '5s'] : [];

    const { code: ended, text } = await printed([...args, '--kube-config', kubeConfig, ...limit]);

    expect(text).toContain(expected);
    expect(ended).toBe(code);
  });

  it.each([
    ['(?:list|watch) configmaps', rule('', 'configmaps', 'list, watch')],
    ['get customresourcedefinitions', rule(...CRDS, 'get')],
  ])('hooklet dev --against, refused %s: goes on and names the rule', async (refused, expected) => {
    const { kubeConfig, path, hooks } = filesOf(await clusterRefusing(refused));
    writeFileSync(join(hooks, 'b.sh'), hookOf({ kind: 'CronTab', apiVersion: 'example.com/v1' }), { mode: 0o755 });
    const program = startProgram(['dev', '--against', 'sandbox'], { cwd: path, env: { KUBECONFIG: kubeConfig } });

    const said = (): string => program.stdout().replaceAll('\\"', '"');
    await expect.poll(said, { timeout: 30_000 }).toContain(expected);
  });
});
