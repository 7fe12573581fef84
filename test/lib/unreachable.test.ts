import { expect, it } from 'vitest';
import { unreachable } from '../../src/lib/unreachable.ts';

it('an impossible value is named', () => {
  expect(() => Reflect.apply(unreachable, undefined, [{ type: 'new' }])).toThrow('unreachable: {"type":"new"}');
});
