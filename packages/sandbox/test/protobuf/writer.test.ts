import { expect, it } from 'vitest';
import { wireFields } from '../../src/protobuf/reader.ts';
import { bytesField, messageBytes } from '../../src/protobuf/writer.ts';

it('what is written is read again, however long it is', () => {
  const long = 'x'.repeat(300);
  const bytes = messageBytes([bytesField(1, 'a'), bytesField(2, undefined), bytesField(40, long)]);

  const read = [...wireFields(bytes)].map((field) => [field.number, field.type === 'bytes' && String(field.bytes)]);

  expect(read).toEqual([
    [1, 'a'],
    [40, long],
  ]);
});
