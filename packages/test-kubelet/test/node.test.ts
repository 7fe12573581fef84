import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { startNode } from '../src/node.ts';
import { startSandbox } from '../src/sandbox.ts';

const LIMIT_MS = 60_000;

/** What there is of a node on this machine. */
interface Traces {
  readonly link: string;
  readonly folder: string;
  readonly pids: readonly number[];
}

function remains({ link, folder, pids }: Traces): readonly string[] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
  const links = readFileSync('/proc/self/net/dev', 'utf8');
  return [
    ...pids.filter((pid) => existsSync(`/proc/${pid}`)).map((pid) => `process ${pid}`),
    ...(links.includes(`${link}:`) ? [`link ${link}`] : []),
    ...(mounts.includes(folder) ? [`mounts in ${folder}`] : []),
  ];
}

describe('a node', () => {
  it('leaves nothing behind: processes, mounts, links, folders', async () => {
    const node = await startNode();
    const sandbox = await startSandbox(node, 'pod');
    const traces = { link: node.name, folder: node.folder, pids: [node.pid, sandbox.pid] };
    expect(remains(traces)).toEqual([`process ${node.pid}`, `process ${sandbox.pid}`, `link ${node.name}`]);

    await node[Symbol.asyncDispose]();

    await vi.waitFor(() => expect(remains(traces)).toEqual([]), LIMIT_MS);
    expect(existsSync(node.folder)).toBe(false);
  });

  it('ends with the process that started it when that is killed, and the next one removes its folder', async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('node-process.ts', import.meta.url))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const traces = JSON.parse(line) as Traces;
    expect(remains(traces)).toHaveLength(4);

    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;

    await vi.waitFor(() => expect(remains(traces)).toEqual([]), LIMIT_MS);
    await using next = await startNode();
    expect(existsSync(next.folder)).toBe(true);
    expect(existsSync(traces.folder)).toBe(false);
  });

  it('has a network of its own beside others', async () => {
    const nodes = await Promise.all([startNode(), startNode(), startNode()]);
    try {
      expect(new Set(nodes.map(({ gateway }) => gateway)).size).toBe(3);
    } finally {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    }
  });
});
