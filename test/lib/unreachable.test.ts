import { expect, it } from 'vitest';
import { unreachable } from '../../src/lib/unreachable.ts';

it('an impossible value is named', () => {
  const impossible: never = JSON.parse('{"type":"new"}');

  expect(() => unreachable(impossible)).toThrow('unreachable: {"type":"new"}');
});
