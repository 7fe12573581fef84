import { describe, expect, it } from 'vitest';

import { errorCode, portOf } from '../../../src/kube/http/http.ts';

it.each([
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), 'ECONNRESET'],
  [Object.assign(new Error('x'), { code: 7 }), ''],
  [new Error('x'), ''],
  ['ECONNRESET', ''],
  [undefined, ''],
])('the code of %s is %j', (error, code) => {
  expect(errorCode(error)).toBe(code);
});

describe('portOf', () => {
  it.each([
    ['http://x', 80],
    ['https://x', 443],
    ['https://x:6443', 6443],
  ])('%s has port %i', (url, port) => {
    expect(portOf(new URL(url))).toBe(port);
  });
});
