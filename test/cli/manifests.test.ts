import { execFileSync } from 'node:child_process';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { createManifests } from '../../src/cli/dev/applied-manifests.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until } from '../support/operator-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

let folder: ReturnType<typeof temporaryFolder>;
let calls: string[];
let log: ReturnType<typeof recordingLogger>;
let manifests: ReturnType<typeof createManifests>;

beforeEach(() => {
  folder = temporaryFolder();
  calls = [];
  log = recordingLogger();
  const nameOf = ({ metadata }: JsonObject) =>
    isJsonObject(metadata) ? Object.values(metadata).map(String).join('/') : '';
  const target = {
    apply: async (object: JsonObject) => {
      calls.push(`apply ${nameOf(object)}`);
      if (nameOf(object) === 'refused') throw new Error('refused');
      if (nameOf(object) === 'early' && !calls.includes('apply definition')) throw new Error('no such kind');
    },
    delete: async (object: JsonObject) => {
      calls.push(`delete ${nameOf(object)}`);
      if (nameOf(object) === 'kept') throw new Error('in use');
    },
  };
  manifests = createManifests([folder.path], target, log);
});

afterEach(() => folder[Symbol.dispose]());

function write(file: string, ...names: readonly string[]): void {
  const documents = names.map((name) => {
    const [first = '', second] = name.split('/');
    const metadata = second === undefined ? `{name: ${first}}` : `{namespace: ${first}, name: ${second}}`;
    return `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata}\n`;
  });
  writeText(file, documents.join('---\n'));
}

function writeText(file: string, text: string): void {
  writeFileSync(join(folder.path, file), text);
}

async function applied(): Promise<readonly string[]> {
  await manifests.applyAll();
  return calls.splice(0);
}

const said = () =>
  log.lines
    .splice(0)
    .map(({ level, message, fields }) => `${level} ${message} ${String(fields['file'] ?? fields['object'])}`);

describe('manifests', () => {
  it('leaves out a pipe and a file of more than 32 MiB, and says so', async () => {
    execFileSync('mkfifo', [join(folder.path, 'pipe.yaml')]);
    write('a.yaml', 'one');
    writeText('huge.yaml', '');
    truncateSync(join(folder.path, 'huge.yaml'), 32 * 1024 * 1024 + 1);

    expect(await applied()).toEqual(['apply one']);
    expect(log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['problem'])).toEqual([
      'more than 33554432 bytes',
      'not a file',
    ]);
  });

  it('are applied in the order of their files and documents, other files are left alone', async () => {
    write('20.yaml', 'c');
    write('10.yml', 'a', 'b');
    writeText('30.json', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"}}');
    writeText('README.md', 'no manifest');
    writeText('.hidden.yaml', 'no: manifest');

    expect(await applied()).toEqual(['apply a', 'apply b', 'apply c', 'apply d']);
    expect(log.lines[0]).toEqual({
      level: 'info',
      message: 'manifest applied',
      fields: { object: 'v1/ConfigMap/a', file: '10.yml' },
    });
  });

  it('are applied again when their file changed, and what it no longer has is deleted', async () => {
    write('a.yaml', 'one', 'two', 'three');
    write('b.yaml', 'other');
    await applied();

    write('a.yaml', 'one');

    expect(await applied()).toEqual(['apply one', 'delete three', 'delete two']);
    expect(await applied()).toEqual([]);
  });

  it('are deleted with their file', async () => {
    write('a.yaml', 'one');
    await applied();

    rmSync(join(folder.path, 'a.yaml'));

    expect(await applied()).toEqual(['delete one']);
  });

  it('stay when they move to another file, or say the namespace they were in', async () => {
    write('a.yaml', 'one');
    write('b.yaml', 'two');
    await applied();

    write('a.yaml', 'two');
    write('b.yaml', 'default/one');

    expect(await applied()).toEqual(['apply two', 'apply default/one']);
  });

  it('of a broken file are left as they were, and the problem is told once', async () => {
    write('a.yaml', 'one');
    await applied();
    said();

    writeText('a.yaml', 'a: [');

    expect(await applied()).toEqual([]);
    expect(await applied()).toEqual([]);
    expect(
      said().filter((line) => line === 'error manifest is broken and was not applied a.yaml').length,
    ).toBeGreaterThan(0);
    expect(await applied()).toEqual([]);
    expect(said()).toEqual([]);
  });

  it.each([
    ['just text', 'document 1: got "just text", expected a Kubernetes object'],
    ['kind: Pod', 'document 1: no apiVersion'],
    ['apiVersion: v1\nkind: Pod\n---\n{}', 'document 2: no apiVersion and no kind'],
    ['apiVersion: v1\nkind: [', /^not YAML: .* at line 2, column 8$/],
  ])('%j is none', async (text, problem) => {
    writeText('a.yaml', text);
    await applied();

    expect(log.lines).toEqual([
      {
        level: 'error',
        message: 'manifest is broken and was not applied',
        fields: { file: 'a.yaml', problem: expect.stringMatching(problem) },
      },
    ]);
  });

  it('are what is in a List; empty documents are nothing', async () => {
    writeText('a.yaml', '---\n---\nkind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: p}}]\n');

    expect(await applied()).toEqual(['apply p']);
    expect(log.lines.map(({ level }) => level)).toEqual(['info']);
  });

  it('that are refused do not keep the others from being applied or deleted', async () => {
    write('a.yaml', 'refused', 'kept', 'last');
    expect(await applied()).toEqual(['apply refused', 'apply kept', 'apply last', 'apply refused']);
    expect(said()).toContain('error manifest could not be applied a.yaml');

    rmSync(join(folder.path, 'a.yaml'));

    expect(await applied()).toEqual(['delete last', 'delete kept', 'delete refused']);
    expect(said()).toContain('error manifest could not be deleted v1/ConfigMap/kept');
  });

  it('that are refused are tried again once another was applied, such as their definition', async () => {
    write('a.yaml', 'early');
    write('b.yaml', 'definition');

    expect(await applied()).toEqual(['apply early', 'apply definition', 'apply early']);
    expect(said()).toEqual(['info manifest applied b.yaml', 'info manifest applied a.yaml']);
    expect(await applied()).toEqual([]);
  });

  it('that stay refused are told once, and tried at each change', async () => {
    write('a.yaml', 'refused');
    await applied();
    expect(said()).toEqual(['error manifest could not be applied a.yaml']);

    write('b.yaml', 'other');

    expect(await applied()).toEqual(['apply other', 'apply refused']);
    expect(said()).toEqual(['info manifest applied b.yaml']);

    write('a.yaml', 'mended');

    expect(await applied()).toEqual(['apply mended', 'delete refused']);
  });

  it('are none when the folder is gone', async () => {
    write('a.yaml', 'one');
    await applied();
    rmSync(folder.path, { recursive: true });

    expect(await applied()).toEqual(['delete one']);
  });

  it('are followed: what is saved is applied', async () => {
    const controller = new AbortController();
    const following = manifests.follow(controller.signal);
    write('a.yaml', 'one');
    await until(() => expect(calls).toEqual(['apply one']));

    controller.abort();
    await following;
  });
});
