import { describe, expect, it } from 'vitest';
import { runControllers } from '../src/controllers.ts';
import { createIds } from '../src/ids.ts';
import { Kinds } from '../src/kinds.ts';
import { Storage } from '../src/storage.ts';
import { Registrations } from '../src/webhooks/registrations.ts';
import { WebhookClient } from '../src/webhooks/webhook-client.ts';

describe('controllers', () => {
  it('act after the write has returned, and settle what follows from it before anything else', async () => {
    const storage = new Storage();
    const webhooks = new Registrations(storage);
    const webhookClient = new WebhookClient(() => ({ problem: 'there are no services' }));
    const basics = { storage, kinds: new Kinds(), webhooks, webhookClient };
    const cluster = {
      ...basics,
      mirrored: new Set<string>(),
      ids: createIds(undefined),
      now: Date.now,
      authorize: () => true,
      user: 'admin',
    };
    runControllers(cluster, () => {});
    const metadata = { name: 'owner', namespace: 'default', uid: 'u' };
    const owner = storage.put('configmaps', { kind: 'ConfigMap', apiVersion: 'v1', metadata });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u' }];
    const child = { name: 'child', namespace: 'default', uid: 'v', ownerReferences };
    storage.put('configmaps', { kind: 'ConfigMap', apiVersion: 'v1', metadata: child });

    storage.remove('configmaps', owner);
    const atOnce = storage.list('configmaps').length;
    await Promise.resolve();

    expect([atOnce, storage.list('configmaps').length]).toEqual([1, 0]);
  });
});
