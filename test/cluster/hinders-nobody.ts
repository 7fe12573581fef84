import { afterAll, beforeAll, expect, vi } from 'vitest';
import { connect } from '@hooklet/sandbox/conformance';
import { sharedControlPlane } from './shared-control-plane.ts';

// What a test file may not leave on the control plane, because it hinders the files after it: a webhook that nobody
// serves refuses their requests, and a converter that nobody serves keeps all namespaces from being removed.
const KINDS = [
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  'apiextensions.k8s.io/v1/customresourcedefinitions',
];

let before: readonly string[] = [];

beforeAll(async () => {
  before = await hindrances();
});

afterAll(async () => {
  const left = async (): Promise<readonly string[]> => (await hindrances()).filter((one) => !before.includes(one));
  await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 30_000, interval: 200 });
}, 60_000);

async function hindrances(): Promise<readonly string[]> {
  const plane = sharedControlPlane();
  const admin = connect({ ...plane, token: plane.tokenOf('admin') });
  const found = KINDS.map(async (kind) => {
    const items: readonly Item[] = Object((await admin.get(`/apis/${kind}`)).body)['items'];
    return items
      .filter(({ spec }) => spec?.conversion?.strategy !== 'None')
      .map(({ metadata }) => `${kind}/${metadata.name}`);
  });
  return (await Promise.all(found)).flat();
}

interface Item {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly conversion?: { readonly strategy: string } };
}
