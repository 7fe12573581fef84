import type { ConditionToSet } from 'hooklet';
import type { LeftOut } from './culprits.ts';
import type { Item } from './items.ts';
import { joined } from './own-news.ts';
import type { Configuration } from './packing.ts';
import type { PodState } from './reload.ts';
import type { StorageStep } from './storage.ts';

type Named = Pick<Item, 'kind' | 'source'>;

/** Whether all that is selected is in the configuration, and knows it. */
export function accepted(leftOut: readonly LeftOut[], refused: readonly Named[] = []): ConditionToSet {
  const sentences = [
    ...(leftOut.length === 0
      ? []
      : [`${leftOut.length} left out, each says why in its status: ${named(leftOut.map(({ item }) => item))}`]),
    ...(refused.length === 0
      ? []
      : [`the API server refuses what is written into the status of ${refused.length}: ${named(refused)}`]),
  ];
  if (sentences.length === 0)
    return { type: 'Complete', status: 'True', reason: 'AllAccepted', message: 'nothing that is selected is left out' };
  const reason = leftOut.length > 0 ? 'SomeLeftOut' : 'StatusRefused';
  return { type: 'Complete', status: 'False', reason, message: joined(sentences) };
}

function named(all: readonly Named[]): string {
  const names = all.map(nameOf).slice(0, 10);
  return `${names.join(', ')}${all.length > 10 ? ' …' : ''}`;
}

/** Whether all Pods run with the configuration. */
export function loaded(states: readonly PodState[], replicas: number): ConditionToSet {
  const failing = states.filter((one) => one.state !== 'loaded');
  const sentences = failing.map((one) => `${one.pod.name}: ${one.message}`);
  if (failing.some(({ state }) => state === 'refused')) {
    return { type: 'Loaded', status: 'False', reason: 'ReloadRefused', message: joined(sentences) };
  }
  if (failing.length > 0) return { type: 'Loaded', status: 'False', reason: 'Waiting', message: joined(sentences) };
  if (states.length < replicas) {
    const message = `there are ${states.length} of ${replicas} Pods`;
    return { type: 'Loaded', status: 'False', reason: 'Waiting', message };
  }
  const message = `${states.length} Pod(s) run with the configuration`;
  return { type: 'Loaded', status: 'True', reason: 'Verified', message };
}

/** Whether the volumes are as the spec asks. */
export function stored(storage: StorageStep): ConditionToSet {
  switch (storage.step) {
    case 'keep':
      return kept(storage);
    case 'grow':
      return {
        type: 'Stored',
        status: 'False',
        reason: 'Waiting',
        message: `${storage.claims.length} claim(s) are made larger`,
      };
    case 'try':
      return {
        type: 'Stored',
        status: 'False',
        reason: 'Waiting',
        message: 'the StatefulSet is made anew when all else that was changed is in it',
      };
    case 'release':
    case 'wait':
      return {
        type: 'Stored',
        status: 'False',
        reason: 'Waiting',
        message: 'the StatefulSet is made anew around its Pods',
      };
  }
}

function kept({ claim, refused }: Extract<StorageStep, { readonly step: 'keep' }>): ConditionToSet {
  if (refused !== undefined) return { type: 'Stored', status: 'False', reason: 'StorageRefused', message: refused };
  const [reason, message] =
    claim === undefined
      ? [
          'NothingKept',
          'there is no spec.storage, so a Pod that is replaced, as by another version, begins without samples',
        ]
      : ['AsWanted', 'the volumes are as the spec asks'];
  return { type: 'Stored', status: 'True', reason, message };
}

interface Found {
  readonly items: readonly Item[];
  readonly leftOut: readonly LeftOut[];
  readonly states: readonly PodState[];
  readonly configuration: Configuration;
}

/** The fields of the status. */
export function statusOf({ items, leftOut, states, configuration }: Found) {
  const count = (of: (item: Item) => boolean) => {
    const selected = items.filter(of).length;
    return { selected, accepted: selected - leftOut.filter(({ item }) => of(item)).length };
  };
  const pods = states
    .filter(({ state }) => state === 'loaded')
    .map(({ pod }) => ({ name: pod.name, uid: pod.uid, restarts: pod.restarts, config: configuration.hash }));
  return {
    config: configuration.hash,
    monitors: count(({ kind }) => kind !== 'PrometheusRule'),
    rules: count(({ kind }) => kind === 'PrometheusRule'),
    leftOut: leftOut.slice(0, MAX_NAMED).map(({ item }) => nameOf(item)),
    pods,
  };
}

const MAX_NAMED = 100;

function nameOf({ kind, source }: Named): string {
  return `${kind} ${source.metadata.namespace}/${source.metadata.name}`;
}
