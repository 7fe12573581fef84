import { describe, expect, it } from 'vitest';

import { KubeError } from '../../../src/errors.ts';
import type { KubeRequest } from '../../../src/kube/client.ts';
import { discover } from '../../../src/kube/discovery/discovery.ts';
import { LEGACY } from '../../support/discovery-documents.ts';

const never = new AbortController().signal;

const client = {
  async request({ path }: KubeRequest) {
    await Promise.resolve();
    const answer = LEGACY[path];
    if (answer === undefined) throw new KubeError(`GET ${path}: 503 unavailable`, { status: 503, reason: '' });
    return answer;
  },
};

describe('discovery group by group', () => {
  it('reads the kinds of every version, the preferred one first', async () => {
    const { kinds } = await discover(client, never);

    expect(kinds.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
      'v1 ConfigMap',
      'v1 Namespace',
      'apps/v1 Deployment',
      'example.com/v2 Widget',
      'example.com/v1 Widget',
      'example.com/v1 Gadget',
    ]);
    expect(kinds[1]).toMatchObject({ subresources: ['status', 'finalize'], isNamespaced: false, shortNames: ['ns'] });
    expect(kinds[2]).toMatchObject({ subresources: ['scale'], isNamespaced: true, group: 'apps' });
    expect(kinds[5]).toMatchObject({ singular: 'gadget' });
  });

  it('keeps the other groups when one cannot be read, and reports which', async () => {
    const { failures } = await discover(client, never);

    expect(failures).toEqual([
      {
        groupVersion: 'metrics.k8s.io/v1beta1',
        error: expect.objectContaining({ message: 'GET /apis/metrics.k8s.io/v1beta1: 503 unavailable' }),
      },
    ]);
  });
});
