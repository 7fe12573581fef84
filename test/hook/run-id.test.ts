import { describe, expect, it } from 'vitest';
import { runIdOf } from '../../src/hook/run-id.ts';

const tickMs = Date.UTC(2026, 4, 1, 2, 0, 0);

describe('runIdOf', () => {
  it('says binding and tick', () => {
    expect(runIdOf('backup.sh', 'nightly', tickMs)).toMatch(/^nightly-[0-9a-f]{8}-20260501t020000z$/);
  });

  it('is the same for whoever sees the tick', () => {
    expect(runIdOf('backup.sh', 'nightly', tickMs)).toBe(runIdOf('backup.sh', 'nightly', tickMs));
  });

  it.each([
    ['hook', 'other.sh', 'nightly', tickMs],
    ['binding', 'backup.sh', 'Nightly', tickMs],
    ['tick', 'backup.sh', 'nightly', tickMs + 1000],
  ])('differs by %s', (_what, hook, binding, atMs) => {
    expect(runIdOf(hook, binding, atMs)).not.toBe(runIdOf('backup.sh', 'nightly', tickMs));
  });

  it.each(['every <minute> of the hour, and of the day', '###', '', 'ä', '-a-'])(
    'of a binding named %j may name a Kubernetes object',
    (binding) => {
      expect(runIdOf('002-x/backup.sh', binding, tickMs)).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
    },
  );
});
