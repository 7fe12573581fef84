/*
 * What an earlier version of the hooks has registered, where no hook has a webhook any more: nobody would answer it. It is
 * taken back as that of a hook that was removed, by steps that a replica with newer hooks may undo: the configurations
 * are emptied, and deleted after a minute. Neither a listener nor a certificate is needed for that.
 */

import { hostname } from 'node:os';
import { resourcePath } from '../../kube/kind.ts';
import { asJsonObject } from '../../kube/object.ts';
import { reviewOwnAccess } from '../../kube/reviews.ts';
import { Changes } from '../../lib/changes.ts';
import { runAll } from '../../lib/run-all.ts';
import { configurationKind } from '../../sources/admission/configuration-kind.ts';
import { readRegistered } from '../../sources/admission/registered.ts';
import { Registration } from '../../sources/admission/registration.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { CONFIGURATIONS, configurationName, isPodGone } from './admission-webhooks.ts';
import type { WebhooksOptions } from './open-webhooks.ts';
import type { WebhookPlace } from './place.ts';

export interface LeftOverOptions extends WebhooksOptions {
  readonly place: WebhookPlace;
}

/** Takes back what is registered; resolves when nothing is left, `isServed` says that it is needed, or `signal` aborts. */
export async function takeBack(options: LeftOverOptions, isServed: () => boolean, signal: AbortSignal): Promise<void> {
  const { settings, place, access, asked, env, log } = options;
  const ends = new AbortController();
  const seen = new Changes();
  let revision = 0;
  const registrations = CONFIGURATIONS.map(
    (kind) =>
      new Registration({
        kind,
        name: configurationName(settings),
        namespace: place.namespace,
        writer: env['POD_NAME'] ?? hostname(),
        client: access.client,
        watches: access.watches,
        // Of a broken hook it is not known what it wants.
        wanted: () => ({ webhooks: [], isPartial: asked.hasBroken(), revision }),
        hookOf: () => '',
        isAble: () => false,
        bundleFor: () => undefined,
        isGone: async (writer, stop) => isPodGone(options, writer, stop),
        onChange: seen.notify,
        monotonicMs: () => performance.now(),
        log,
      }),
  );
  const look = (): void => {
    if (isServed() || registrations.every(({ isMissing }) => isMissing)) ends.abort();
  };
  const follow =
    (changes: (stop: AbortSignal) => AsyncIterable<void>, act: () => void) => async (stop: AbortSignal) => {
      for await (const _ of changes(stop)) act();
    };
  const reload = (): void => {
    revision += 1;
    look();
    for (const registration of registrations) registration.look();
  };
  const parts = registrations.map((registration) => async (stop: AbortSignal) => registration.run(stop));
  const following = [follow((stop) => asked.changes(stop), reload), follow((stop) => seen.follow(stop), look)];
  await runAll([...following, ...parts], AbortSignal.any([signal, ends.signal]));
}

/** Whether an earlier version of these hooks had webhooks, which nobody would answer now. */
export async function isLeftOver(options: LeftOverOptions, signal: AbortSignal): Promise<boolean> {
  const { access, settings, place, log } = options;
  // From outside of a cluster it is not known whose they are.
  if (place.podNamespace === undefined) return false;
  const name = configurationName(settings);
  const found = CONFIGURATIONS.map(async (kind) => {
    if (!(await mayRead(access, kind, { name, signal }))) return false;
    const path = resourcePath(configurationKind(kind), { name });
    const registered = readRegistered(asJsonObject(await access.client.request({ method: 'GET', path }, signal)));
    return registered.isOurs && registered.namespace === place.podNamespace;
  });
  const results = await Promise.allSettled(found);
  for (const result of results) {
    if (result.status === 'rejected') log.debug({ err: result.reason }, 'no webhooks of an earlier version are known');
  }
  return results.some((result) => result.status === 'fulfilled' && result.value);
}

interface Reading {
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Asks first, as every account may: hooks without webhooks are deployed without this right, and a refusal is counted. */
async function mayRead(
  { client }: ClusterAccess,
  configuration: (typeof CONFIGURATIONS)[number],
  { name, signal }: Reading,
): Promise<boolean> {
  const { group, plural: resource } = configurationKind(configuration);
  return reviewOwnAccess(client, { group, resource, verb: 'get', name, namespace: '' }, signal);
}
