import { expect } from 'vitest';
import { chaosRounds, type ChaosFault, type ChaosRound } from '../../operators/kit/chaos.ts';
import { eventually } from '../solutions/eventually.ts';
import type { WebsiteRig } from './static-website-rig.ts';

interface Seen {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly status?: object;
}

const KINDS = 'websites.web.example.hooklet.dev,deployments,services,configmaps';
const ROLLED_OUT = { status: { replicas: 1, updatedReplicas: 1, availableReplicas: 1 } };

/** Lets go wrong what can, round by round; whole is: the site serves what was last asked for, and says so itself. */
export async function websiteChaos(
  rig: WebsiteRig,
  options: { readonly rounds: number; readonly seed: number; readonly tell?: (line: string) => void },
): Promise<readonly ChaosRound[]> {
  let version = 0;
  let wanted = 'the page 0';
  const site = { apiVersion: 'web.example.hooklet.dev/v1', kind: 'WebSite', metadata: { name: 'chaos' } };
  const ask = async (archive: object): Promise<void> => {
    // The API server takes a moment to see where the webhook of another Pod is.
    await eventually(async () => rig.apply({ ...site, spec: { archive, replicas: 1 } }));
  };
  const change = async (): Promise<void> => {
    version += 1;
    wanted = `the page ${version}`;
    await ask(await rig.pack(`site-${version}.tar.gz`, wanted));
  };
  const killOne = async (label: string): Promise<void> => {
    const [pod] = await rig.pods(label);
    await rig.kubectl('delete', 'pod', pod?.metadata?.name ?? '', '--grace-period=0', '--force', '--wait=false');
  };
  const remove = async (kind: string): Promise<void> => {
    const kinds = ['-l', 'app.kubernetes.io/instance=chaos', '--wait=false'];
    await rig.kubectl('delete', kind, ...kinds);
  };
  let isRefused = false;
  const faults: readonly ChaosFault[] = [
    { name: 'a Pod of the site is deleted', act: async () => killOne('app.kubernetes.io/instance=chaos') },
    { name: 'the Deployment is deleted', act: async () => remove('deployment') },
    { name: 'the Service is deleted', act: async () => remove('service') },
    { name: 'the content is deleted', act: async () => remove('configmap') },
    { name: 'the content changes', act: change },
    {
      name: 'the archive breaks',
      act: async () => {
        version += 1;
        const url = await rig.put(`broken-${version}.tar.gz`, 'no archive');
        await ask({ url, sha256: '0'.repeat(64) });
        isRefused = true;
      },
    },
    { name: 'the operator is killed', act: async () => killOne('app=static-website') },
  ];
  await change();
  const isWhole = async (): Promise<void> => {
    const { items } = await rig.get<{ readonly items: readonly Seen[] }>(KINDS);
    const named = (kind: string, name: string): Seen | undefined =>
      items.find((one) => one.kind === kind && one.metadata.name === name);
    const { metadata, status } = named('WebSite', 'chaos') ?? {};
    const expected = isRefused ? { status: 'False', reason: 'ContentRefused' } : { status: 'True', reason: 'Served' };
    expect(status).toMatchObject({ observedGeneration: metadata?.generation, conditions: [expected] });
    expect(named('Deployment', 'chaos')).toMatchObject(ROLLED_OUT);
    expect(named('Deployment', 'static-website')).toMatchObject(ROLLED_OUT);
    expect(named('Service', 'chaos')).toBeDefined();
    expect(items.filter((one) => one.kind === 'ConfigMap' && one.metadata.name.startsWith('chaos-'))).not.toEqual([]);
    expect(await rig.page('chaos')).toBe(wanted);
  };
  const before = async (): Promise<void> => {
    // The webhook of an operator that was killed answers when it is ready.
    await rig.kubectl('wait', '--for', 'condition=Available', '--timeout=120s', 'deployment/static-website');
    if (!isRefused) return;
    isRefused = false;
    await change();
  };
  return chaosRounds({ ...options, faults, isWhole, before });
}
