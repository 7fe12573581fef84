import { describe, expect, it } from 'vitest';
import { FAULT_TYPES } from '@hooklet/sandbox';
import { asking, sandboxForTest } from '@hooklet/sandbox/testing';
import { codeBlocks, codes, readDocument, section, tables } from './markdown.ts';

const faults = section(readDocument('docs/sandbox.md'), 'Faults');

/** The requests of the examples that curl sends. */
function examples(): readonly { method: string; body: string | undefined }[] {
  const commands = (codeBlocks(faults, 'sh')[0] ?? '').split('\n').filter((line) => line.startsWith('curl'));
  return commands.map((command) => ({
    method: /-X (\w+)/.exec(command)?.[1] ?? 'GET',
    body: /-d '([^']*)'/.exec(command)?.[1],
  }));
}

describe('docs/sandbox.md', () => {
  it('names every type of fault', () => {
    expect((tables(faults)[1] ?? []).map(([type]) => codes(type)[0])).toEqual(FAULT_TYPES);
  });

  it('asks for faults as the sandbox takes them', async () => {
    const sandbox = await sandboxForTest();
    const headers = { authorization: `Bearer ${sandbox.token}` };
    const counts: number[] = [];

    for (const { method, body } of examples()) {
      const response = await fetch(`${sandbox.url}/sandbox/faults`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      });
      const active: unknown = await response.json();
      counts.push(Array.isArray(active) ? active.length : -1);
    }

    expect(counts).toEqual([1, 2, 2, 0]);
  });

  it('asks for a fault that strikes what it says', async () => {
    const sandbox = await sandboxForTest();
    const ask = asking(sandbox);
    await ask('POST', '/sandbox/faults', examples()[0]?.body);
    const maps = '/api/v1/namespaces/default/configmaps';

    const answers = [
      await ask('GET', '/api/v1/pods'),
      await ask('GET', maps),
      await ask('GET', maps),
      await ask('GET', maps),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 429, 429, 200]);
    expect(answers[1]?.headers.get('retry-after')).toBe('1');
  });

  it('says what Pods have not', async () => {
    const ask = asking(await sandboxForTest());
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    };
    await ask('POST', '/api/v1/namespaces/default/pods', pod);

    expect(await ask('GET', '/api/v1/namespaces/default/pods/web/log')).toMatchObject({ status: 200, text: '' });
    for (const subresource of ['exec', 'attach', 'portforward']) {
      expect(await ask('GET', `/api/v1/namespaces/default/pods/web/${subresource}`)).toMatchObject({ status: 404 });
    }
  });
});
