import { expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { currentCluster } from '../support/fault-rig.ts';
import { recordingHook, startOperator, until } from '../support/operator-rig.ts';
import { startRelay } from '../support/tcp-relay.ts';
import { within } from '../support/within.ts';

const kubernetes = [{ name: 'maps', apiVersion: 'v1', kind: 'ConfigMap' }];

it('an operator that hears nothing of its API server any more fails /readyz within 20 s', async () => {
  const sandbox = await sandboxForTest();
  const relay = await startRelay(Number(new URL(sandbox.url).port));
  const cluster = currentCluster({ url: `http://127.0.0.1:${relay.port}`, token: sandbox.token });
  try {
    await using operator = startOperator({
      connect: cluster,
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', kubernetes }) },
    });
    const ready = async (): Promise<string> => {
      const response = await fetch(`${operator.url()}/readyz?verbose`);
      return `${response.status} ${await response.text()}`;
    };
    await until(async () => expect(await ready()).toMatch(/^200/));

    relay.freezeAll();

    await within(20_000, async () => {
      expect(await ready()).toMatch(/^503 [^]*watch hook\.sh\/maps: no contact with the API server for \d+ s/);
    });
  } finally {
    await relay.close();
  }
});
