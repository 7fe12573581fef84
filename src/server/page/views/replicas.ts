import { markup, type Html } from '../html.ts';
import type { LeaseFacts, NeighborFacts } from '../model.ts';
import { badge, bytes, empty, facts, section, table, time } from '../parts.ts';
import type { View } from '../view.ts';

const LIMIT = 300;
const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

/** This replica, who leads, and what its health is made of. */
export const replicasView: View = {
  path: '/replicas',
  title: 'Replicas',
  isListed: true,
  parameters: {},
  right: () => ({ verb: 'list', resource: 'hooks' }),
  render: async ({ model, nowMs }) => {
    const around = await model.neighbors();
    const { name, version, startedAtMs, memoryBytes, lease, checks, certificates } = model.replica();
    const { role, leader } = model.view.status();
    const container = model.memory();
    const sorted = checks.toSorted((a, b) => Number(a.isOk) - Number(b.isOk));
    const rows = sorted
      .slice(0, LIMIT)
      .map(({ name: check, isOk, message }) => [check, isOk ? badge('ok') : badge('failing', 'bad'), message]);
    const expiries = certificates.map(({ which, expiresAtMs }) => {
      const days = Math.floor((expiresAtMs - nowMs) / DAY_MS);
      return [which, markup`${days} ${days < SOON_DAYS && badge('soon', 'warn')}`, time(expiresAtMs)];
    });
    const health =
      rows.length === 0 ? empty('Nothing is checked.') : table('Health', ['Check', 'State', 'Remark'], rows);
    const columns = ['Certificate', { title: 'Days left', isNumber: true }, 'Expires'];
    return markup`${[
      facts([
        ['This replica', name],
        ['Role', badge(role === 'alone' ? 'the only one' : role)],
        ['Leader', leader],
        ['Lease', lease],
        ['Held by', around.lease && heldBy(around.lease)],
        ['Version', version],
        ['Started', time(startedAtMs)],
        ['Memory', bytes(memoryBytes)],
        ['Container', container && `${bytes(container.usedBytes)} of ${bytes(container.limitBytes)}, with its hooks`],
      ]),
      beside(around, name),
      expiries.length > 0 && section('Certificates of webhooks', table('Certificates', columns, expiries)),
      section('Health', health, 'what /readyz checks, the failing first'),
    ]}`;
  },
};

function heldBy({ holder, transitions, renewed }: LeaseFacts): Html {
  if (holder === '') return markup`nobody`;
  return markup`${holder}, renewed ${time(renewed)}, taken over ${transitions} times`;
}

/** The Pods with the labels of this one, and what could not be read of them. */
function beside({ lease, pods, problems }: NeighborFacts, own: string): Html | false {
  const rows = pods.map(({ name, phase, isReady, restarts, node }) => [
    markup`${name} ${name === own && badge('this one', 'calm')} ${lease?.holder.startsWith(`${name}_`) === true && badge('leading')}`,
    markup`${phase} ${isReady ? badge('ready', 'good') : badge('not ready', 'warn')}`,
    restarts,
    node,
  ]);
  const columns = ['Pod', 'State', { title: 'Restarts', isNumber: true }, 'Node'];
  const notes = problems.map((problem) => markup`<p class="empty">${problem}</p>`);
  if (rows.length === 0 && notes.length === 0) return false;
  return section('Replicas', markup`${rows.length > 0 && table('Replicas', columns, rows)}${notes}`);
}
