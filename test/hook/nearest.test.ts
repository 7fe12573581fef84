import { describe, expect, it } from 'vitest';
import { nearest } from '../../src/hook/nearest.ts';

describe('nearest', () => {
  it.each([
    ['jqfilter', 'jqFilter'],
    ['jqFiler', 'jqFilter'],
    ['kindd', 'kind'],
    ['includeSnapshotFrom', 'includeSnapshotsFrom'],
  ])('finds what %s was meant to be', (word, meant) => {
    expect(nearest(word, ['kind', 'name', 'jqFilter', 'includeSnapshotsFrom'])).toBe(meant);
  });

  it('suggests nothing that is far away', () => {
    expect(nearest('concurrencyPolicy', ['kind', 'name', 'jqFilter'])).toBeUndefined();
  });

  it('suggests nothing when there is nothing', () => {
    expect(nearest('kind', [])).toBeUndefined();
  });
});
