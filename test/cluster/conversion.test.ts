import { describe, expect, it } from 'vitest';
import { CONVERTS, converting, cronTab, cronTabDefinition } from '../support/conversion-crd.ts';
import { recordingHook } from '../support/operator-rig.ts';
import { startWebhooks } from '../support/webhook-rig.ts';
import { connectAs, handsOn, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const LIMIT_MS = 180_000;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Rig extends AsyncDisposable {
  readonly hands: Hands;
  readonly crd: string;
  readonly group: string;
  /** The objects in a version. */
  readonly tabs: (version: string) => string;
  readonly conversion: () => Promise<Readonly<Record<string, unknown>>>;
}

/** An operator with hooks that convert crontabs of a group of the test. */
async function rig(hooks: (group: string) => Readonly<Record<string, string>>): Promise<Rig> {
  const hands = await handsOn(plane);
  const group = `${hands.namespace}.example.com`;
  const crd = `${CRDS}/crontabs.${group}`;
  const operator = await startWebhooks({ connect: connectAs(plane, 'admin'), hooks: hooks(group) });
  return {
    hands,
    crd,
    group,
    tabs: (version) => `/apis/${group}/${version}/namespaces/${hands.namespace}/crontabs`,
    conversion: async () => Object(await hands.call('GET', crd))['spec']['conversion'],
    [Symbol.asyncDispose]: async () => {
      await operator[Symbol.asyncDispose]();
      // Nothing could be listed while the converter is gone.
      const none = { spec: { conversion: { strategy: 'None', webhook: null } } };
      await hands.patch(crd, none).catch(() => {});
      await hands.call('DELETE', crd).catch(() => {});
    },
  };
}

async function refusal(done: Promise<unknown>): Promise<string> {
  try {
    await done;
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const placed = ({ namespace }: Hands, object: object): object => ({
  ...object,
  metadata: { ...Object(object)['metadata'], namespace },
});

describe('a converter on a real API server', { timeout: LIMIT_MS }, () => {
  it('converts through two hooks once the definition is there, and is put back when its caBundle is emptied', async () => {
    await using it = await rig((group) => ({
      'a.sh': recordingHook(converting(['v1>v2', 'v2>v1'], group), CONVERTS),
      'b.sh': recordingHook(converting(['v2>v3', 'v3>v2'], group), CONVERTS),
    }));
    const { hands, crd, group, tabs, conversion } = it;
    await hands.call('POST', CRDS, cronTabDefinition(['v1', 'v2', 'v3'], group));
    await until(async () => expect(await conversion()).toMatchObject({ strategy: 'Webhook' }));
    // The API server learns of it by a watch.
    await until(async () => {
      const made = placed(hands, cronTab(`${group}/v3`, `a-${crypto.randomUUID()}`));
      expect(await hands.call('POST', tabs('v3'), made)).toMatchObject({ apiVersion: `${group}/v3` });
    });
    const list = await hands.call('GET', tabs('v1'));
    expect(list).toMatchObject({ items: [{ apiVersion: `${group}/v1`, spec: { way: ['v3>v2', 'v2>v1'] } }] });
    expect(await hands.call('GET', tabs('v2'))).toMatchObject({ items: [{ apiVersion: `${group}/v2` }] });

    const before = await conversion();
    await hands.patch(crd, { spec: { conversion: { webhook: { clientConfig: { caBundle: null } } } } });
    await until(async () => expect(await conversion()).toEqual(before));
  });

  it('that fails shows its failedMessage, with the hook and its rule', async () => {
    const body = `echo '{"failedMessage":"spec.x is too old"}' > "$CONVERSION_RESPONSE_PATH"`;
    await using it = await rig((group) => ({ 'a.sh': recordingHook(converting(['v1>v2'], group), body) }));
    const { hands, group, tabs, conversion } = it;
    await hands.call('POST', CRDS, cronTabDefinition(['v1', 'v2'], group));
    await until(async () => expect(await conversion()).toMatchObject({ strategy: 'Webhook' }));
    await until(async () => {
      await hands.call('POST', tabs('v1'), placed(hands, cronTab(`${group}/v1`, 'a')));
    });

    await until(async () =>
      expect(await refusal(hands.call('GET', `${tabs('v2')}/a`))).toContain(
        `conversion webhook for ${group}/v1, Kind=CronTab failed: hook a.sh, v1 to v2: spec.x is too old`,
      ),
    );
  });
});
