import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..', '..');
const promtool = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'promtool'))
  .find((path) => existsSync(path));

function listed(path: string, ...keys: readonly string[]): readonly string[] {
  const file: unknown = parse(readFileSync(join(root, path), 'utf8'));
  const [list = '', inner = '', name = ''] = keys;
  return isJsonObject(file)
    ? objectsAt(file, list).flatMap((one) => objectsAt(one, inner).map((each) => textAt(each, name)))
    : [];
}

describe('the series of test/deploy/alerts.test.yaml', () => {
  it('make each alert fire, and no other', () => {
    const alerts = listed('deploy/chart/files/alerts.yaml', 'groups', 'rules', 'alert');
    const tested = listed('test/deploy/alerts.test.yaml', 'tests', 'alert_rule_test', 'alertname');

    expect([...new Set(tested)].toSorted()).toEqual(alerts.toSorted());
  });

  it('pass promtool: where there is none, go install github.com/prometheus/prometheus/cmd/promtool', (context) => {
    if (promtool === undefined) {
      const why = 'there is no promtool on the PATH: the alerts of the chart were not evaluated';
      process.stderr.write(`${why}\n`);
      return context.skip(why);
    }
    const printed = execFileSync(promtool, ['test', 'rules', join(root, 'test', 'deploy', 'alerts.test.yaml')]);
    expect(printed.toString()).toContain('SUCCESS');
  });
});
