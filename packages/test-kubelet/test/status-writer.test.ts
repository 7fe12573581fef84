import type { V1Pod } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import type { Api } from '../src/api.ts';
import type { PodRecord } from '../src/pod-status.ts';
import { StatusWriter } from '../src/status-writer.ts';

const POD: V1Pod = { metadata: { name: 'a', namespace: 'here', uid: '1' }, spec: { containers: [] } };

it('a change that comes in the moment in which a writer has found none is written, too', async () => {
  const written: unknown[] = [];
  const api: Pick<Api, 'patch'> = {
    patch: async (_, change) => void written.push(change),
  };
  let record: PodRecord = { pod: POD, containers: [], hostIp: '1', startTime: 'then', isStopping: false };
  const writer = new StatusWriter(api, POD, () => record, new AbortController().signal);
  writer.changed();
  await writer.flush();

  writer.changed();
  record = { ...record, podIp: '198.18.0.2' };
  writer.changed();
  await writer.flush();

  expect(written).toHaveLength(2);
  expect(written[1]).toMatchObject({ status: { podIP: '198.18.0.2' } });
});
