import { describe, expect, it } from 'vitest';
import { editDistance } from '../../src/lib/edit-distance.ts';

describe('editDistance', () => {
  it.each([
    ['pod', 'pod', 0],
    ['podd', 'pod', 1],
    ['pot', 'pod', 1],
    ['', 'pod', 3],
    ['deploymnet', 'deployment', 2],
  ])('%j and %j are %i apart, in both directions', (a, b, distance) => {
    expect([editDistance(a, b), editDistance(b, a)]).toEqual([distance, distance]);
  });
});
