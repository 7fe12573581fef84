import { expect, it } from 'vitest';
import { openApi2Bytes } from '../../src/open-api/version-2-bytes.ts';
import { openApi2Document } from '../../src/open-api/version-2.ts';
import { wireFields } from '../../src/protobuf/reader.ts';
import { KINDS } from './open-api-kinds.ts';

function pieces(bytes: Buffer | undefined, number: number): readonly Buffer[] {
  return [...wireFields(bytes ?? Buffer.alloc(0))].flatMap((field) =>
    field.number === number && field.type === 'bytes' ? [field.bytes] : [],
  );
}

function named(entries: readonly Buffer[], name: string): Buffer | undefined {
  const entry = entries.find((one) => String(pieces(one, 1)[0]) === name);
  return pieces(entry, 2)[0];
}

const bytes = openApi2Bytes(openApi2Document(KINDS));

it('a schema has its fields where Go looks for them', () => {
  const schema = named(pieces(pieces(bytes, 9)[0], 1), 'com.example.v1.Widget');
  const spec = named(pieces(pieces(schema, 25)[0], 1), 'spec');
  const metadata = named(pieces(pieces(schema, 25)[0], 1), 'metadata');

  expect(pieces(spec, 19).map(String)).toEqual(['color']);
  expect(pieces(pieces(spec, 22)[0], 1).map(String)).toEqual(['object']);
  expect(String(pieces(metadata, 1)[0])).toMatch(/^#\/definitions\/.*ObjectMeta$/);
  expect(String(named(pieces(schema, 31), 'x-kubernetes-group-version-kind'))).toContain('"kind":"Widget"');
});

it('a patch has its parameters where Go looks for them', () => {
  const path = named(pieces(pieces(bytes, 8)[0], 2), '/api/v1/namespaces/{namespace}/configmaps/{name}');
  const parameters = pieces(pieces(path, 8)[0], 8).map((item) => {
    const query = pieces(pieces(pieces(item, 1)[0], 2)[0], 3)[0];
    return String(pieces(query, 4)[0]);
  });

  expect(parameters).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
});
