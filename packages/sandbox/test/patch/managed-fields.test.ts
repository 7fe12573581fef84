import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { readManagers, resetsManagers, withManagers } from '../../src/patch/managed-fields.ts';

const ENTRY = {
  manager: 'me',
  operation: 'Apply',
  apiVersion: 'v1',
  time: '2024-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:k': {} } },
  subresource: 'status',
};

function objectWith(managedFields: JsonObject[string]): JsonObject {
  return { metadata: { name: 'x', managedFields } };
}

describe('the record of managers', () => {
  it('is read and written without loss, in the server’s order', () => {
    const update = { ...ENTRY, manager: 'a', operation: 'Update' };
    const object = objectWith([ENTRY, update]);

    expect(withManagers(object, readManagers(objectWith([update, ENTRY])) ?? new Map())).toEqual(object);
  });

  it.each<readonly [string, JsonObject]>([
    ['another operation', { ...ENTRY, operation: 'Delete' }],
    ['no version', { ...ENTRY, apiVersion: '' }],
    ['other fields', { ...ENTRY, fieldsType: 'FieldsV2' }],
  ])('with %s is unreadable', (_title, entry) => {
    expect(readManagers(objectWith([entry]))).toBeUndefined();
  });

  it('is emptied by an empty list or an empty entry, not by its absence', () => {
    expect(resetsManagers(objectWith([]))).toBe(true);
    expect(resetsManagers(objectWith([{}]))).toBe(true);
    expect(resetsManagers(objectWith([ENTRY]))).toBe(false);
    expect(resetsManagers({ metadata: {} })).toBe(false);
  });

  it('is not written when nobody owns anything', () => {
    expect(withManagers(objectWith([ENTRY]), new Map())).toEqual({ metadata: { name: 'x' } });
  });
});
