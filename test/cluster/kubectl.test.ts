import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '@hooklet/sandbox';
import { controlPlaneAssets, kubectlAsset } from './assets.ts';
import { ControlPlane } from './control-plane.ts';
import { normalized, tellStory, type Outcome } from './kubectl-run.ts';
import { STORY, type Step } from './kubectl-story.ts';

const told: { [teller: string]: readonly Outcome[] } = {};

beforeAll(async () => {
  const kubectl = await kubectlAsset(process.env);
  await using sandbox = await startSandbox({ anonymous: true });
  await using other = await startSandbox({ anonymous: true });
  // The story tells what the whole cluster has, so nobody else may use it.
  await using plane = await ControlPlane.start(await controlPlaneAssets(process.env));
  const stories = await Promise.all([
    tellStory(kubectl, sandbox.kubeconfig(), STORY),
    tellStory(oldKubectl(process.env), other.kubeconfig(), STORY),
    tellStory(kubectl, await plane.kubeconfig('admin'), STORY),
  ]);
  [told['new'], told['old'], told['real']] = stories;
}, 900_000);

/** A kubectl of years ago, such as Debian's. */
function oldKubectl(env: NodeJS.ProcessEnv): string {
  const path = env['OLD_KUBECTL'];
  if (path !== undefined && existsSync(path)) return path;
  throw new Error(
    `OLD_KUBECTL is ${path ?? 'not set'}: set it to a kubectl 1.20; on Debian 12: apt-get download kubernetes-client && dpkg -x kubernetes-client_*.deb old, and it is old/usr/bin/kubectl`,
  );
}

function outcome(teller: string, index: number): Outcome {
  return told[teller]?.[index] ?? { code: null, output: 'the story was not told' };
}

function expectAsTold(step: Step, { code, output }: Outcome, fails: boolean): void {
  expect(output).toMatch(step.shows);
  expect({ failed: code !== 0, output }).toMatchObject({ failed: fails });
}

const steps = STORY.map((step, index) => ({ step, index, title: `${index + 1}. kubectl ${step.args}` }));

describe('the sandbox serves the kubectl of its own version', () => {
  it.each(steps)('$title', ({ step, index }) => {
    expectAsTold(step, outcome('new', index), step.fails !== undefined);
  });
});

describe('the sandbox serves a kubectl of years ago', () => {
  it.each(steps.filter(({ step }) => step.recent === undefined))('$title', ({ step, index }) => {
    expectAsTold(step, outcome('old', index), step.fails !== undefined);
  });
});

describe('a real server answers kubectl as the sandbox does', () => {
  it.each(steps)('$title', ({ step, index }) => {
    const [real, sandbox] = [outcome('real', index), outcome('new', index)];

    expectAsTold(step, real, step.fails === true);
    if (step.differs === undefined) expect(normalized(sandbox.output)).toBe(normalized(real.output));
  });
});
