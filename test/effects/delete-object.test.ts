import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { converse } from '../support/patch-rig.ts';
import { refusal, type Exchange } from '../support/kube-conversation.ts';

const path = '/api/v1/namespaces/default/pods/web';
const pod = { kind: 'Pod', metadata: { uid: 'u1', finalizers: ['foregroundDeletion'] } };
const missing = refusal(404, 'NotFound', 'pods "web" not found');

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('Delete', () => {
  it('waits until the object is gone', async () => {
    const { applied, bodies } = await inVirtualTime('Delete', [
      [`DELETE ${path}`, pod],
      [`GET ${path}`, pod],
      [`GET ${path}`, refusal(0, 'ECONNRESET', 'no answer')],
      [`GET ${path}`, missing],
    ]);

    expect(bodies[0]).toMatchObject({ kind: 'DeleteOptions', propagationPolicy: 'Foreground' });
    expect(applied).toMatchObject([{ change: 'deleted' }]);
  });

  it('does not mistake a new object of the same name for the old one', async () => {
    const { applied } = await inVirtualTime('Delete', [
      [`DELETE ${path}`, pod],
      [`GET ${path}`, { ...pod, metadata: { uid: 'u2' } }],
    ]);

    expect(applied).toMatchObject([{ change: 'deleted' }]);
  });

  it('does not wait for what is gone already', async () => {
    const { applied } = await inVirtualTime('Delete', [[`DELETE ${path}`, { kind: 'Status', status: 'Success' }]]);

    expect(applied).toMatchObject([{ change: 'deleted' }]);
  });

  it('fails after 20 s and names what holds the object', async () => {
    const startedAtMs = Date.now();
    const polls = Array.from({ length: 25 }, (): Exchange => [`GET ${path}`, pod]);

    const { message } = await inVirtualTime('Delete', [[`DELETE ${path}`, pod], ...polls]);

    expect(message).toContain(
      'the object still exists 20 s after its deletion began; it has the finalizers foregroundDeletion',
    );
    expect(Date.now() - startedAtMs).toBeLessThan(21_000);
  });

  it('fails at once when it may not look', async () => {
    const { message } = await inVirtualTime('Delete', [
      [`DELETE ${path}`, pod],
      [`GET ${path}`, refusal(403, 'Forbidden', 'may not get pods')],
    ]);

    expect(message).toContain('may not get pods');
  });
});

describe.each([
  { operation: 'DeleteInBackground', propagationPolicy: 'Background' },
  { operation: 'DeleteNonCascading', propagationPolicy: 'Orphan' },
])('$operation', ({ operation, propagationPolicy }) => {
  it('does not wait', async () => {
    const { applied, bodies } = await inVirtualTime(operation, [[`DELETE ${path}`, pod]]);

    expect(bodies).toEqual([{ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy }]);
    expect(applied).toMatchObject([{ change: 'deleted' }]);
  });
});

describe.each(['Delete', 'DeleteInBackground', 'DeleteNonCascading'])('%s', (operation) => {
  it('of a missing object is no error', async () => {
    const { applied, error } = await inVirtualTime(operation, [[`DELETE ${path}`, missing]]);

    expect(error).toBeUndefined();
    expect(applied).toMatchObject([{ change: 'absent' }]);
  });
});

describe('a deletion with preconditions', () => {
  const preconditions = { uid: 'u1', resourceVersion: '7' };

  it('sends them', async () => {
    const { bodies } = await inVirtualTime('DeleteInBackground', [[`DELETE ${path}`, pod]], { preconditions });

    expect(bodies).toMatchObject([{ preconditions }]);
  });

  it('finds the object gone where there is another of its name', async () => {
    const another = 'the UID in the precondition (u1) does not match the UID in record (u2)';

    const { applied } = await inVirtualTime('Delete', [[`DELETE ${path}`, refusal(409, 'Conflict', another)]], {
      preconditions,
    });

    expect(applied).toMatchObject([{ change: 'absent' }]);
  });

  it('fails where the object has changed', async () => {
    const changed = 'the ResourceVersion in the precondition (7) does not match the ResourceVersion in record (8)';

    const { message } = await inVirtualTime('Delete', [[`DELETE ${path}`, refusal(409, 'Conflict', changed)]], {
      preconditions,
    });

    expect(message).toContain(changed);
  });
});

async function inVirtualTime(operation: string, script: readonly Exchange[], fields: object = {}) {
  const operations = [{ operation, kind: 'Pod', namespace: 'default', name: 'web', ...fields }];
  const conversation = converse({ operations, script });
  await vi.runAllTimersAsync();
  return conversation;
}
