import { expect, it } from 'vitest';
import { asking, sandboxForTest } from '../support/sandbox.ts';

it.each([
  ['application/json', 'application/json'],
  [
    'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
    'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  ],
])('v2 for %s is %s', async (accept, type) => {
  const sandbox = await sandboxForTest();

  const { status, headers } = await asking(sandbox, { accept })('GET', '/openapi/v2');

  expect([status, headers.get('content-type')]).toEqual([200, type]);
});

it('v3 is there, and nothing else', async () => {
  const ask = asking(await sandboxForTest());

  expect((await ask('GET', '/openapi/v3/apis/apps/v1')).body).toMatchObject({ openapi: '3.0.0' });
  expect((await ask('GET', '/openapi/v4')).status).toBe(404);
});
