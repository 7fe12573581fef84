import { startContainer } from '../src/container.ts';
import { startNode } from '../src/node.ts';
import { startSandbox } from '../src/sandbox.ts';

// A process with a node, a pod and a container, to be killed by a test. It says where they are.
const node = await startNode();
const sandbox = await startSandbox(node, 'pod');
await node.run('mkdir -p "$1/etc"', node.folder);
const container = await startContainer({
  node,
  sandboxPid: sandbox.pid,
  folder: 'container',
  command: ['sleep', 'infinity'],
  env: { PATH: process.env['PATH'] ?? '' },
  workingDir: '/',
  mounts: [{ source: `${node.folder}/etc`, target: '/etc/.pod', readOnly: true }],
  user: { uid: 1000, gid: 1000, groups: [], capabilities: [], noNewPrivileges: true },
  readOnlyRoot: false,
  onOutput: () => {},
});
const { name: link, folder } = node;
console.log(JSON.stringify({ link, folder, pids: [node.pid, sandbox.pid, container.pid] }));
await container.ended;
