import { expect, it } from 'vitest';
import { KubeError } from '../../src/errors.ts';
import { applyEmptied } from '../../src/effects/emptied-object.ts';

const PATH = 'spec.a';

it.each([
  ['one word', PATH.repeat(200_000)],
  ['the same beginning again and again', `${PATH}: Invalid value: "null": `.repeat(40_000)],
])('a refusal of a megabyte, %s, is read at once and is the error', async (_, message) => {
  const refusal = new KubeError(message, { status: 422, reason: 'Invalid' });
  let sent = 0;
  const send = async (): Promise<never> => {
    sent += 1;
    throw refusal;
  };

  await expect(applyEmptied({ spec: { a: {} } }, send)).rejects.toBe(refusal);

  expect(sent).toBe(1);
});
