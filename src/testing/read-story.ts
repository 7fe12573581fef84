/* What the callers of a world say is read as the parts of a story in a scenario file, with the same checks. */

import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { startOptions } from '../cli/options/options.ts';
import { ScenarioError } from '../errors.ts';
import { readStoryValue } from '../scenario/file/read-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { messageOf } from '../lib/message-of.ts';

export interface ReadingStory {
  /** Of whom problems are told: `openWorld`, `tick`. */
  readonly who: string;
  /** To which paths are relative. */
  readonly folder: string;
  /** The start of the paths in problems, which is left out. */
  readonly prefix: string;
}

/** The story; throws a `ScenarioError` with all its problems. */
export async function readOwnStory(story: object, { who, folder, prefix }: ReadingStory): Promise<Scenario> {
  const optionNames = Object.values(startOptions).map(({ flag }) => flag.replace(/^--/, '').replace(/ .*/, ''));
  const value = plainJson(who, story);
  const { scenarios, problems } = await readStoryValue(value, folder, { optionNames, hooksDir: folder });
  const [scenario] = scenarios;
  if (scenario !== undefined && problems.length === 0) return scenario;
  const lines = problems.map(({ path, message }) => {
    const own = path.startsWith(prefix) ? path.slice(prefix.length).replace(/^\./, '') : path;
    return `${own === '' ? '' : `${own}: `}${message}`;
  });
  throw new ScenarioError(lines.length === 1 ? `${who}: ${lines[0]}` : [`${who}:`, ...lines].join('\n  '));
}

/** What JSON makes of it: dates are texts, and fields that are undefined are not there. */
function plainJson(who: string, value: object): JsonObject {
  try {
    const plain: unknown = JSON.parse(JSON.stringify(value));
    if (isJsonObject(plain)) return plain;
  } catch (error) {
    const reason = messageOf(error);
    throw new ScenarioError(`${who}: what is given cannot be written as JSON: ${reason}`, { cause: error });
  }
  throw new ScenarioError(`${who}: what is given is no JSON object`);
}
