import { endHolder, pidOf, script, spawnHolder, type KubeNode } from './node.ts';

/** The namespaces of a pod, in which its containers run: a network with an address, and a host name. */
export interface PodSandbox extends AsyncDisposable {
  /** The id, on this machine, of the process that holds them. */
  readonly pid: number;
  readonly address: string;
  /** Disconnects the pod from the network, or connects it again. */
  setLink(state: 'down' | 'up'): Promise<void>;
  /** Limits what the pod sends to this many kilobits per second; undefined removes the limit. */
  setRate(kilobits: number | undefined): Promise<void>;
  /** Loses everything that the pod sends to an address of the node, or sends it again. */
  lose(address: string, is: 'lost' | 'sent'): Promise<void>;
}

let made = 0;

/** Makes the namespaces of a pod on a node. */
export async function startSandbox(node: KubeNode, hostname: string): Promise<PodSandbox> {
  const { address, release } = node.addresses.take();
  const child = spawnHolder([
    'nsenter',
    `--target=${node.pid}`,
    ...flags('mount net uts ipc pid'),
    'unshare',
    ...flags('net uts ipc'),
    script('sandbox.sh'),
    hostname,
  ]);
  // The process that nsenter starts does not end with nsenter, so it is killed by its own id.
  const holder: { pid?: number } = {};
  const dispose = async (): Promise<void> => {
    if (holder.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(holder.pid, 'SIGKILL');
    }
    await endHolder(child);
    release();
  };
  try {
    const pid = await pidOf(child);
    holder.pid = pid;
    const link = `pod-${made++}`;
    await node.run(LINK, link, macOf(address), String(pid), address);
    return {
      pid,
      address,
      setLink: async (state) => {
        await node.run('ip link set "$1" "$2"', link, state);
      },
      setRate: async (kilobits) => {
        await node.run(kilobits === undefined ? FULL_RATE : RATE, String(pid), String(kilobits));
      },
      lose: async (to, is) => {
        await node.run(is === 'lost' ? LOSE : SEND, String(pid), to);
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function flags(names: string): readonly string[] {
  return [...names.split(' ').map((name) => `--${name}`), '--'];
}

/** Unprivileged programs may listen on low ports, as in the common container runtimes. */
const LINK = `
ip link add "$1" type veth peer name eth0 address "$2" netns "$3"
ip link set "$1" master bridge up
nsenter --target="$3" --net -- sh -euc '
  ip link set lo up
  ip address add "$1/24" dev eth0
  ip link set eth0 up
  echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start
' sh "$4"
`;

const RATE = 'nsenter --target="$1" --net -- tc qdisc add dev eth0 root tbf rate "$2kbit" burst 64k latency 100ms';
const FULL_RATE = 'nsenter --target="$1" --net -- tc qdisc del dev eth0 root';

/**
 * Packets to a hardware address that does not exist are lost silently, while packets from that address still arrive.
 */
const LOSE = 'nsenter --target="$1" --net -- ip neigh replace "$2" lladdr 02:00:00:00:00:00 nud permanent dev eth0';
const SEND = 'nsenter --target="$1" --net -- ip neigh del "$2" dev eth0';

/** An address always has the same hardware address, so that no neighbor cache has a wrong entry. */
function macOf(address: string): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return ['0a', '58', ...bytes].join(':');
}
