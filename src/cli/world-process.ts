import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ScenarioError } from '../errors.ts';
import { nearest } from '../hook/nearest.ts';
import type { OptionsOf } from '../scenario/live/start-life.ts';
import { serveWorlds } from '../scenario/live/world-process.ts';
import { localWebhooks } from './webhooks/local-webhooks.ts';
import { startOptions } from './options/options.ts';
import { attributeName, resolveOptions } from './options/resolve.ts';
import { operatorOptions } from './start.ts';

/** The process of a world, which `openWorlds` forks. */

/** The clock of a world stops at each look at the certificates of webhooks, and nothing but a watch or this clock changes them. */
const WEBHOOK_TICK_MS = 600_000;

const optionsOf: OptionsOf = ({ hooksDir, options = {} }, { connect, log }) => {
  const known = Object.values(startOptions).map(({ flag }) => flag.replace(/^--/, '').replace(/ .*/, ''));
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new ScenarioError(`option ${name}: unknown${hintOf(nearest(name, known))}`);
  }
  const given = Object.entries(options).map(([name, value]) => [attributeName(`--${name}`), value]);
  const flags = { listenAddress: '127.0.0.1', listenPort: '0', httpTriggers: true, ...Object.fromEntries(given) };
  const resolved = resolveOptions(startOptions, { ...flags, hooksDir }, {});
  const root = Object.assign(log, { level: 'info' as const, droppedLines: 0 });
  const { leaderElection: _, shards: __, controlSocket: ___, ...base } = operatorOptions(resolved, connect, root);
  const program = { node: process.execPath, program: mainFile() };
  return {
    ...base,
    program,
    gracePeriodMs: 300,
    webhooks: localWebhooks(resolved),
    webhookDrainMs: 0,
    webhookSettleMs: 0,
    webhookTickMs: WEBHOOK_TICK_MS,
  };
};

function hintOf(known: string | undefined): string {
  return known === undefined ? '; they are the flags of hooklet start' : `; did you mean ${known}?`;
}

/** What hooks get as `hooklet`. */
function mainFile(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : './main.js', import.meta.url));
}

serveWorlds(optionsOf, process.argv[2] ?? tmpdir());
