/*
 * `hooklet dev --against CONTEXT`: the hooks see what a real cluster has, and write to the sandbox. What hooks watch is
 * listed and watched in the real cluster, and each object is copied into the sandbox, which is the only API server that
 * hooks and the operator know. The real cluster is read through `readOnly` alone.
 */

import type { Sandbox } from '@hooklet/sandbox';
import { discoverHooks } from '../../hook/discover.ts';
import type { Hook } from '../../hook/binding.ts';
import { createKinds } from '../../kube/discovery/kinds.ts';
import { loadCluster } from '../../kube/credentials/load-cluster.ts';
import { createKubeClient } from '../../kube/kube-client.ts';
import { createWatches } from '../../kube/watch/shared-watches.ts';
import { within } from '../../lib/deadline.ts';
import { urlText } from '../../lib/url-text.ts';
import type { Logger } from '../../log.ts';
import { createMetrics } from '../../metrics.ts';
import { loadLocalHooks } from '../run/load-local-hooks.ts';
import { version } from '../program/version.ts';
import { Copies } from './copies.ts';
import { followWanted, type FollowParts } from './follow-wanted.ts';
import { readOnly } from './read-only.ts';
import { wantedBy, wantedKey } from './wanted.ts';

export interface AgainstOptions {
  /** The context of the kubeconfig. */
  readonly context: string;
  readonly hooksDir: string;
  readonly sandbox: Pick<Sandbox, 'apply' | 'mirror'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
}

/** The copies of a real cluster in the sandbox. */
export interface Against {
  /** Reads the configs of the hooks again, and copies what they watch now, until `signal` aborts. */
  follow(changes: AsyncIterable<void>): Promise<void>;
}

/** How long the start waits for the first lists: what comes later comes as events. */
const FIRST_LISTS_MS = 10_000;

/** Connects to the cluster, and copies what the hooks watch; rejects with `CredentialsError`. */
export async function openAgainst(
  options: AgainstOptions,
  ends: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Against> {
  const { context, env, log, sandbox } = options;
  const cluster = await loadCluster({ env, context });
  log.info({ context, server: urlText(cluster.server) }, 'reading a cluster; what hooks write goes to the sandbox');
  const client = readOnly(createKubeClient(cluster, { userAgent: `hooklet-dev/${version}` }));
  const kinds = createKinds(client);
  const watches = createWatches({ client, kinds, log, metrics: createMetrics('') });
  const ended = new AbortController();
  ends.defer(async () => {
    ended.abort();
    await watches.ended();
    await client.close();
  });
  const stop = AbortSignal.any([signal, ended.signal]);
  const parts: FollowParts = { client, kinds, watches, sandbox, copies: new Copies(sandbox.mirror, log), log };
  const followed = new Set<string>();
  const copyAll = async (): Promise<void> => {
    const fresh = wantedBy(await hooksOf(options, stop)).filter((wanted) => !followed.has(wantedKey(wanted)));
    for (const wanted of fresh) followed.add(wantedKey(wanted));
    const lists = Promise.all(fresh.map(async (wanted) => followWanted(wanted, parts, stop)));
    await within(lists, {
      limitMs: FIRST_LISTS_MS,
      signal: stop,
      late: () => {
        log.warn({}, 'the cluster has not listed all objects yet: the others come as events');
        return [];
      },
    });
    if (fresh.length > 0) log.info({ objects: parts.copies.size }, 'objects of the cluster are copied');
  };
  await copyAll();
  return {
    async follow(changes) {
      for await (const _ of changes) await copyAll();
    },
  };
}

async function hooksOf({ hooksDir }: AgainstOptions, signal: AbortSignal): Promise<readonly Hook[]> {
  const { files } = await discoverHooks(hooksDir);
  // What is broken is logged when the operator loads it.
  const { hooks } = await loadLocalHooks(hooksDir, files, { write: () => {}, signal });
  return hooks;
}
