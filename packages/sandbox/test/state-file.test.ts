import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readStateFile, writeStateFile } from '../src/state-file.ts';
import { openWatch, sandboxForTest, widgetDefinition } from './support/sandbox.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'hooklet-state-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('the state of a sandbox', () => {
  it('goes through a file into the next one: objects, kinds, and versions that go on growing', async () => {
    const file = join(folder(), 'state.json');
    const first = await sandboxForTest();
    await first.apply(widgetDefinition());
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { color: 'red' } };
    const applied = await first.apply(widget);

    writeStateFile(file, first.state);
    const state = readStateFile(file);
    const second = await sandboxForTest(state === undefined ? {} : { state });
    await second.call('GET', '/version');

    expect(second.resourceVersion).toBe(first.resourceVersion);
    const found = await second.call('GET', '/apis/example.com/v1/namespaces/default/widgets/a');
    expect(found.body).toEqual(applied);
    await second.apply({ ...widget, spec: { color: 'blue' } });
    expect(Number(second.resourceVersion)).toBe(Number(first.resourceVersion) + 1);
  });

  it('has no history: who watched before must list again', async () => {
    const first = await sandboxForTest();
    await first.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } });
    const second = await sandboxForTest({ state: first.state });

    const watch = await openWatch(second, '/api/v1/namespaces?watch=1&resourceVersion=2');

    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it('keeps on collecting what loses its owner', async () => {
    const first = await sandboxForTest();
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } };
    const owner = await first.apply(map);
    const uid = String(Object(owner['metadata'])['uid']);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await first.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', ownerReferences } });
    const second = await sandboxForTest({ state: first.state });

    await second.delete(map);

    expect(await second.call('GET', '/api/v1/namespaces/default/configmaps/owned')).toMatchObject({ code: 404 });
  });

  it.each([
    ['', 'Unexpected end of JSON input'],
    ['[]', 'it is no JSON object'],
    ['{"kind":"Pod"}', 'kind is "Pod", expected "SandboxState"'],
    ['{"kind":"SandboxState"}', 'resourceVersion is undefined'],
    [
      '{"kind":"SandboxState","resourceVersion":"3","objects":[{"collection":"pods","object":{}}]}',
      'objects[0] is no object that was stored',
    ],
  ])('is not taken from a file that holds %j', (text, problem) => {
    const file = join(folder(), 'state.json');
    writeFileSync(file, text);

    expect(() => readStateFile(file)).toThrow(`${file} does not hold the state of a sandbox: ${problem}`);
  });

  it('replaces the file as a whole, and leaves nothing beside it', () => {
    const path = folder();
    const file = join(path, 'state.json');

    writeStateFile(file, { revision: 1, objects: [] });
    writeStateFile(file, { revision: 2, objects: [] });

    expect(readStateFile(file)).toEqual({ revision: 2, objects: [] });
    expect(readdirSync(path)).toEqual(['state.json']);
  });

  it('is absent where there is no file', () => {
    expect(readStateFile(join(folder(), 'none.json'))).toBeUndefined();
  });
});
