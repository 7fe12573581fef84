import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Step } from './kubectl-story.ts';

/** What a command printed, and its exit code. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs steps one after the other, in the namespace `story`, with one kubectl against one cluster. */
export async function tellStory(kubectl: string, kubeconfig: string, steps: readonly Step[]): Promise<Outcome[]> {
  const home = await mkdtemp(join(tmpdir(), 'hooklet-kubectl-'));
  const path = join(home, 'kubeconfig');
  await writeFile(path, kubeconfig, { mode: 0o600 });
  try {
    const outcomes: Outcome[] = [];
    for (const step of steps) outcomes.push(await take(kubectl, step, { HOME: home, KUBECONFIG: path }));
    return outcomes;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const TIME_LIMIT_MS = 120_000;

interface Environment {
  readonly [name: string]: string;
}

async function take(kubectl: string, step: Step, env: Environment): Promise<Outcome> {
  const deadline = Date.now() + TIME_LIMIT_MS;
  for (;;) {
    const outcome = await run(kubectl, step, env);
    if (step.waits === undefined || step.shows.test(outcome.output) || Date.now() > deadline) return outcome;
  }
}

async function run(kubectl: string, step: Step, env: Environment): Promise<Outcome> {
  const child = spawn(kubectl, ['--namespace=story', ...step.args.split(' ')], {
    env: { PATH: process.env['PATH'] ?? '', ...env, ...step.env },
    timeout: TIME_LIMIT_MS,
  });
  child.stdin.on('error', () => {}).end(step.stdin ?? '');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, output: `${stdout}${stderr}` };
}

/** Removes from an output what differs each time: ages, times, identities, versions and addresses. */
export function normalized(output: string): string {
  return output
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d{4})?(?: UTC)?/g, 'TIME')
    .replaceAll(/(resourceVersion"?: )"?\d+"?/gi, '$1VERSION')
    .replaceAll(/(Resource Version: +)\d+/g, '$1VERSION')
    .replaceAll(/\/tmp\/(?:LIVE|MERGED)-\d+/g, 'FILE')
    .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, 'ADDRESS')
    .replaceAll(/https?:\/\/127\.0\.0\.1:\d+/g, 'SERVER')
    .replaceAll(/(?<=\s)\d+(?:ms|s|m|h)\d*s?\b(?: ago)?/g, 'AGE')
    .replaceAll(/ +$/gm, '')
    .replaceAll(/ {2,}/g, '  ');
}
