import { describe, expect, it } from 'vitest';
import type { PatchRequest } from '../../src/patch/apply-patch.ts';
import { applyPatch, PatchRefused } from '../../src/patch/apply-patch.ts';

const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };

function request(type: PatchRequest['type'], patch: unknown): PatchRequest {
  const current = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { finalizers: ['a'] }, data: { k: 'v' } };
  return { type, patch, current, fieldManager: 'me', force: true, kind: CONFIG_MAP, now: '2024-01-01T00:00:00Z' };
}

describe('a patch', () => {
  it.each<readonly [PatchRequest['type'], unknown, readonly string[]]>([
    ['json', [{ op: 'replace', path: '/metadata/finalizers', value: ['b'] }], ['b']],
    ['merge', { metadata: { finalizers: ['b'] } }, ['b']],
    ['strategic', { metadata: { finalizers: ['b'] } }, ['b', 'a']],
    ['apply', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { finalizers: ['b'] } }, ['a', 'b']],
  ])('of type %s is applied by its own rules', (type, patch, finalizers) => {
    expect(applyPatch(request(type, patch))['metadata']).toEqual(expect.objectContaining({ finalizers }));
  });

  it('of type strategic is refused for custom resources', () => {
    const kind = { group: 'example.com', version: 'v1', kind: 'Thing' };

    expect(() => applyPatch({ ...request('strategic', {}), kind })).toThrow(
      expect.objectContaining({
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      }),
    );
  });

  it('creates nothing unless it is an apply', () => {
    const { current: _absent, ...rest } = request('merge', {});

    expect(() => applyPatch({ ...rest, current: undefined })).toThrow(PatchRefused);
  });
});
