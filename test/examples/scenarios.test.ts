import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { examplesDir } from '../support/example-rig.ts';
import { runProgram } from '../support/program.ts';

/** The examples with stories: first steps and jobs. */
const firstSteps = [
  '001-startup-shell',
  '002-startup-python',
  '003-common-library',
  '101-monitor-pods',
  '102-monitor-namespaces',
  '103-schedule',
  '104-secret-copier',
  '105-crd-simple',
  '106-monitor-events',
  '107-patches',
  '108-groups',
  '109-snapshots-only',
  '111-metrics',
  '112-typescript',
  '113-web-site',
  '114-team-namespace',
  '115-secret-copies',
];

/** The examples with stories: backup, repair, and what comes from outside. */
const operations = [
  '110-nightly-dump',
  '120-etcd-member-repair',
  '130-http-trigger',
  '200-advanced',
  '201-hooks-in-a-configmap',
  '202-other-base-image',
  '204-validating-webhook',
  '206-mutating-webhook',
  '210-conversion-webhook',
  '220-execution-rate',
  '230-configmap-python',
  '300-etcd',
  '330-static-website',
  '340-prometheus',
  '310-backup',
];

interface Report {
  readonly stories: readonly { readonly name: string; readonly file: string; readonly verdict: string }[];
}

it('the stories of the examples pass', async () => {
  const cwd = dirname(examplesDir);
  const { exitCode, stdout } = await runProgram(['test', 'examples', '--no-perturb', '-o', 'json'], { cwd });

  const { stories }: Report = JSON.parse(stdout);
  expect(stories.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
  expect(exitCode).toBe(0);
  const folders = new Set(stories.map(({ file }) => file.split('/')[1]));
  expect(folders).toEqual(new Set([...firstSteps, ...operations]));
});
