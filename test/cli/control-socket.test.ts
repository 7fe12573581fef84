import { expect, it } from 'vitest';
import { controlSocketOf } from '../../src/cli/control-socket.ts';

it('the socket is in the temporary folder unless it is named', () => {
  expect(controlSocketOf({ debugUnixSocket: '', tmpDir: '/tmp/hooklet' })).toEqual({
    path: '/tmp/hooklet/hooklet.socket',
    isRequired: false,
  });
  expect(controlSocketOf({ debugUnixSocket: '/run/x.socket', tmpDir: '/tmp/hooklet' })).toEqual({
    path: '/run/x.socket',
    isRequired: true,
  });
});
