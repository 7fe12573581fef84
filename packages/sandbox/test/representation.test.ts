import { describe, expect, it } from 'vitest';
import { acceptedRepresentation } from '../src/representation.ts';
import { asking, sandboxForTest } from './support/sandbox.ts';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } };
const maps = '/api/v1/namespaces/default/configmaps';

describe('the form of an answer', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/vnd.kubernetes.protobuf, application/json', 'json'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'table/v1'],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', 'table/v1beta1'],
    ['application/yaml', 'yaml'],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json', 'metadata'],
  ])('for %j is %s', (accept, representation) => {
    expect(acceptedRepresentation(accept)).toBe(representation);
  });

  it('that nobody speaks is not acceptable', () => {
    expect(() => acceptedRepresentation('text/plain, application/cbor')).toThrow(
      expect.objectContaining({ code: 406, message: expect.stringContaining('406: Not Acceptable') }),
    );
  });

  it('can be YAML', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(map);

    const answer = await asking(sandbox, { accept: 'application/yaml' })('GET', `${maps}/a`);

    expect(answer.headers.get('content-type')).toBe('application/yaml');
    expect(answer.text).toContain('kind: ConfigMap\n');
  });

  it('can be the metadata alone', async () => {
    const sandbox = await sandboxForTest();
    await sandbox.apply(map);
    const ask = asking(sandbox, { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' });
    const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } };

    expect((await ask('GET', `${maps}/a`)).body).toMatchObject(partial);
    expect((await ask('GET', maps)).body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [partial] });
    expect((await ask('GET', `${maps}/none`)).body).toMatchObject({ kind: 'Status', code: 404 });
    const watched = await ask('GET', `${maps}?watch=1&timeoutSeconds=1`);
    expect(watched.body).toMatchObject({ type: 'ADDED', object: partial });
    expect(watched.text).not.toContain('"data"');
  });
});
