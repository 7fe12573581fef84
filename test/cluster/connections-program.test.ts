import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/hook-rig.ts';
import { keepCoresBusy } from '../support/matrix/busy-cores.ts';
import { limitOf, measure, WAYS, type Cell, type CellResult, type MatrixWorld } from '../support/matrix/cell.ts';
import { startClusterWorld } from '../support/matrix/cluster-world.ts';
import { ProgramFollower } from '../support/matrix/program-follower.ts';
import { describeTable } from '../support/matrix/table.ts';
import { recordingHook } from '../support/operator-rig.ts';
import { startProgram } from '../support/program.ts';
import { startStageProxy, type StageProxy } from '../support/stages/proxy.ts';
import { PROTOCOLS } from '../support/stages/stages.ts';
import { clusterConfig } from './cluster-config.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const LONGEST_MS = 5000;
const KINDS = PROTOCOLS.flatMap((protocol) => WAYS.map((way) => ({ protocol, way })));

const FAULTS: readonly Pick<Cell, 'stage' | 'fault' | 'stormMs'>[] = [
  { stage: 'secured', fault: 'reset', stormMs: 2000 },
  { stage: 'beforeSettings', fault: 'reset', stormMs: 2000 },
  { stage: 'body', fault: 'reset', stormMs: 0 },
  { stage: 'handshake', fault: 'slow', stormMs: 0 },
  { stage: 'beforeSettings', fault: 'silence', stormMs: 0 },
  { stage: 'requestSent', fault: 'silence', stormMs: 0 },
  { stage: 'goaway', fault: 'silence', stormMs: 0 },
  { stage: 'accepted', fault: 'silence', stormMs: 2000 },
  { stage: 'goaway', fault: 'garbage', stormMs: 0 },
];

describe('hooklet behind connections that are struck, on a real API server with both cores busy', () => {
  const ends = new AsyncDisposableStack();
  const results: CellResult[] = [];
  let world: MatrixWorld;
  beforeAll(async () => {
    world = ends.use(await startClusterWorld(plane, 'connections-program'));
    ends.use(keepCoresBusy(2));
  });
  afterAll(async () => {
    console.log(describeTable('hooklet start, kube-apiserver, both cores busy', results));
    await ends.disposeAsync();
  });

  it('follows within 3 s of the end of a fault, 5 s of silence, over both protocols and both ways', async () => {
    const found = (await Promise.all(KINDS.map(async (kind) => strikeProgram(world, kind)))).flat();

    results.push(...found);
    const isBroken = ({ cell, recoveredMs = Infinity, problems }: CellResult): boolean =>
      recoveredMs > limitOf(cell) || problems.length > 0;
    expect(found.filter(isBroken)).toEqual([]);
    const quick = found.filter(({ limitMs }) => limitMs <= 3000).map(({ recoveredMs = Infinity }) => recoveredMs);
    expect(Math.max(...quick)).toBeLessThanOrEqual(3000);
  });
});

/** Starts the program, and injects the faults of connections one after the other. */
async function strikeProgram(world: MatrixWorld, kind: Pick<Cell, 'protocol' | 'way'>): Promise<readonly CellResult[]> {
  const isTunnel = kind.way === 'tunnel';
  await using proxy = await startStageProxy({ target: world.target, protocol: kind.protocol, isTunnel });
  using folder = temporaryFolder();
  const follower = startFollowing(folder.path, proxy, isTunnel);
  const found: CellResult[] = [];
  for (const fault of FAULTS) {
    const cell = { ...kind, ...fault };
    // The slow faults over HTTP/1.1 are tested without the program.
    if (limitOf(cell) <= LONGEST_MS) found.push(await measure(follower, proxy, { cell, writer: world.writer }));
  }
  return found;
}

/** Starts the program with a hook on the ConfigMaps that are written. */
function startFollowing(folder: string, proxy: StageProxy, isTunnel: boolean): ProgramFollower {
  const [hooks, out] = [join(folder, 'hooks'), join(folder, 'out')];
  mkdirSync(hooks);
  mkdirSync(out);
  const namespace = { nameSelector: { matchNames: ['connections-program'] } };
  const binding = { name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', namespace };
  writeFileSync(join(hooks, 'hook.sh'), recordingHook({ configVersion: 'v1', kubernetes: [binding] }), { mode: 0o755 });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(proxy, isTunnel));
  const flags = ['--hooks-dir', hooks, '--kube-config', kubeconfig, '--tmp-dir', join(folder, 'tmp')];
  startProgram(['start', ...flags, '--listen-address', '127.0.0.1', '--listen-port', '0'], { env: { OUT: out } });
  return new ProgramFollower(join(out, 'hook.sh'));
}

function kubeconfigFor({ port, ca }: StageProxy, isTunnel: boolean): string {
  const url = `https://127.0.0.1:${isTunnel ? 6443 : port}`;
  const text = clusterConfig({ url, ca, user: 'admin', token: plane.tokenOf('admin') });
  return isTunnel ? text.replace('"server":', `"proxy-url":"http://127.0.0.1:${port}","server":`) : text;
}
