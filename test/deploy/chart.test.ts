import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { chartReadme, valueRows } from '../../scripts/chart-readme.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createProcessMetrics } from '../../src/operator/process/process-metrics.ts';

const root = join(import.meta.dirname, '..', '..');
const chart = join(root, 'deploy', 'chart');

function read(...path: readonly string[]): string {
  return readFileSync(join(chart, ...path), 'utf8');
}

function objectOf(text: string): JsonObject {
  const value: unknown = parse(text);
  if (isJsonObject(value)) return value;
  throw new Error('no object');
}

/** The paths of values that a schema has, down to where it says no names of properties. */
function schemaPaths(schema: JsonObject, path = ''): readonly string[] {
  const { properties } = schema;
  if (!isJsonObject(properties)) return [path];
  expect({ path, closed: schema['additionalProperties'] }).toEqual({ path, closed: false });
  return Object.entries(properties).flatMap(([key, value]) =>
    isJsonObject(value) ? schemaPaths(value, path === '' ? key : `${path}.${key}`) : [],
  );
}

/** The paths of values that have a default, down to those of the table. */
function valuePaths(values: JsonObject, rows: ReadonlySet<string>, path = ''): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const own = path === '' ? key : `${path}.${key}`;
    return isJsonObject(value) && !rows.has(own) ? valuePaths(value, rows, own) : [own];
  });
}

describe('deploy/chart', () => {
  it('has a README whose table is made of the values: node scripts/chart-readme.ts', () => {
    expect(read('README.md')).toBe(chartReadme());
  });

  it('has a comment for each value, and a schema for each and for nothing else', () => {
    const rows = new Set(valueRows().map(({ path }) => path));
    const known = schemaPaths(objectOf(read('values.schema.json'))).filter((path) => path !== 'global');

    expect(valuePaths(objectOf(read('values.yaml')), rows)).toEqual([...rows]);
    // Below a value of the table the schema may say more.
    const tops = known.map((path) => [...rows].find((row) => path === row || path.startsWith(`${row}.`)) ?? path);
    expect(new Set(tops)).toEqual(rows);
  });

  it('has the version of the package, and so has the image', () => {
    const { version, appVersion } = objectOf(read('Chart.yaml'));

    expect({ version, appVersion }).toEqual({ version: packageJson.version, appVersion: packageJson.version });
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain(`ARG VERSION=${packageJson.version}\n`);
  });
});

/** Labels that Prometheus adds to what it scrapes from Pods. */
const OF_TARGETS = ['namespace', 'pod', 'job'];

/** The labels of each metric by its name, histograms with those of their parts. */
async function knownMetrics(): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>();
  for (const { name, type, labelNames } of createMetrics('hooklet_').families) {
    const labels = [...labelNames, ...OF_TARGETS];
    if (type !== 'histogram') known.set(name, labels);
    else for (const part of ['sum', 'count', 'bucket']) known.set(`${name}_${part}`, [...labels, 'le']);
  }
  const processText = await createProcessMetrics().text();
  for (const [, name = ''] of processText.matchAll(/^# TYPE (\w+)/gm)) known.set(name, OF_TARGETS);
  return known;
}

function metricsIn(expression: string): readonly string[] {
  return [...expression.matchAll(/\b(?:hooklet|process|nodejs)_\w+/g)].map(([name]) => name);
}

/** The text in parentheses that begin at `start`. */
function inParentheses(expression: string, start: number): string {
  let depth = 0;
  for (let index = start; index < expression.length; index++) {
    if (expression[index] === '(') depth++;
    if (expression[index] === ')' && --depth === 0) return expression.slice(start + 1, index);
  }
  throw new Error(`a parenthesis stays open in ${expression}`);
}

interface Use {
  readonly metric: string;
  readonly label: string;
}

/** The labels by which an expression selects and groups metrics. */
function usesIn(expression: string): readonly Use[] {
  const selected = [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', selectors = '']) =>
    [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => ({ metric, label })),
  );
  const grouped = [...expression.matchAll(/\bby \(([\w, ]+)\) (?=\()/g)].flatMap(
    ({ 0: all, 1: labels = '', index }) => {
      const argument = inParentheses(expression, index + all.length);
      return metricsIn(argument).flatMap((metric) => labels.split(', ').map((label) => ({ metric, label })));
    },
  );
  return [...selected, ...grouped];
}

/** The labels that the result of an expression has. */
function labelsOf(expression: string, known: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const by = /\bby \(([\w, ]+)\)/.exec(expression)?.[1];
  return by?.split(', ') ?? known.get(metricsIn(expression)[0] ?? '') ?? [];
}

interface Shown {
  readonly expression: string;
  /** The labels that texts beside it name. */
  readonly named: readonly string[];
}

function alerts(): readonly Shown[] {
  const rules = objectsAt(objectOf(read('files', 'alerts.yaml')), 'groups').flatMap((group) =>
    objectsAt(group, 'rules'),
  );
  return rules.map((rule) => ({
    expression: textAt(rule, 'expr'),
    named: [...JSON.stringify(rule['annotations']).matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label),
  }));
}

function panels(): readonly Shown[] {
  const targets = objectsAt(objectOf(read('files', 'dashboard.json')), 'panels').flatMap((panel) =>
    objectsAt(panel, 'targets'),
  );
  return targets.map((target) => ({
    expression: textAt(target, 'expr'),
    named: [...textAt(target, 'legendFormat').matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
  }));
}

describe.each([
  { what: 'alerts', all: alerts, least: 10 },
  { what: 'dashboard', all: panels, least: 15 },
])('the $what of the chart', ({ all, least }) => {
  it('name only metrics and labels that there are', async () => {
    const known = await knownMetrics();
    const shown = all();

    expect(shown.length).toBeGreaterThan(least);
    for (const { expression, named } of shown) {
      const metrics = metricsIn(expression);
      expect({ expression, metrics: metrics.length }).not.toEqual({ expression, metrics: 0 });
      expect(metrics.filter((metric) => !known.has(metric))).toEqual([]);
      const wrong = usesIn(expression).filter(({ metric, label }) => known.get(metric)?.includes(label) !== true);
      expect({ expression, wrong }).toEqual({ expression, wrong: [] });
      const missing = named.filter((label) => !labelsOf(expression, known).includes(label));
      expect({ expression, missing }).toEqual({ expression, missing: [] });
    }
  });

  it('have balanced parentheses, braces and brackets', () => {
    for (const { expression } of all()) {
      const counted = ['()', '{}', '[]'].map(([open = '', close = '']) => [
        expression.split(open).length,
        expression.split(close).length,
      ]);
      for (const [opened, closed] of counted) expect(opened).toBe(closed);
    }
  });
});

describe('the alerts of the chart', () => {
  it('have a severity, a summary and a description each, under a name of their own', () => {
    const rules = objectsAt(objectOf(read('files', 'alerts.yaml')), 'groups').flatMap((group) =>
      objectsAt(group, 'rules'),
    );

    expect(new Set(rules.map((rule) => textAt(rule, 'alert'))).size).toBe(rules.length);
    for (const rule of rules) {
      expect(['info', 'warning', 'critical']).toContain(textAt(rule, 'labels', 'severity'));
      expect(textAt(rule, 'annotations', 'summary')).not.toBe('');
      expect(textAt(rule, 'annotations', 'description')).not.toBe('');
    }
  });
});
