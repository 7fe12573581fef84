import { describe, expect, it } from 'vitest';
import { childPath, fromFieldsV1, printPath, sortedPaths, toFieldsV1 } from '../../src/patch/field-set.ts';

const FIELDS = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:a.b/c': {} } },
  'f:spec': { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } }, 'f:tags': { 'v:"x"': {} } },
};

describe('a set of fields', () => {
  it('is read from fieldsV1 and written to it without loss', () => {
    expect(toFieldsV1(fromFieldsV1(FIELDS))).toEqual(FIELDS);
  });

  it('prints its paths as the server does, members before what lies deeper', () => {
    expect(sortedPaths(fromFieldsV1(FIELDS)).map(printPath)).toEqual([
      '.metadata.labels',
      '.metadata.labels.a.b/c',
      '.spec.ports[port=80,protocol="TCP"]',
      '.spec.ports[port=80,protocol="TCP"].port',
      '.spec.tags[="x"]',
    ]);
  });

  it('prints an index', () => {
    expect(printPath(childPath('f:a', 'i:3'))).toBe('.a[3]');
  });
});
