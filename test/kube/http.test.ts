import { expect, it } from 'vitest';

import { errorCode } from '../../src/kube/http.ts';

it.each([
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'ECONNRESET'],
  [Object.assign(new Error('x'), { code: 7 }), ''],
  [new Error('x'), ''],
  ['ECONNRESET', ''],
  [undefined, ''],
])('the code of %s is %j', (error, code) => {
  expect(errorCode(error)).toBe(code);
});
