import { createServer, type RequestListener } from 'node:http';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import type { Patch } from 'hooklet';
import { configurationOf } from '../../examples/340-prometheus/hooks/lib/configuration.ts';
import type { Judgment } from '../../examples/340-prometheus/hooks/lib/culprits.ts';
import { fitted } from '../../examples/340-prometheus/hooks/lib/fitting.ts';
import { dueWrites } from '../../examples/340-prometheus/hooks/lib/due-writes.ts';
import type { Item } from '../../examples/340-prometheus/hooks/lib/items.ts';
import { notNow, pause, tookLong } from '../../examples/340-prometheus/hooks/lib/patience.ts';
import { judged } from '../../examples/340-prometheus/hooks/lib/judge-cache.ts';
import { pack } from '../../examples/340-prometheus/hooks/lib/packing.ts';
import { loadInto } from '../../examples/340-prometheus/hooks/lib/reload.ts';
import { checkWith } from '../../examples/340-prometheus/hooks/lib/promtool.ts';
import { ruleFiles } from '../../examples/340-prometheus/hooks/lib/rule-files.ts';
import { selects } from '../../examples/340-prometheus/hooks/lib/selectors.ts';
import { specProblems } from '../../examples/340-prometheus/hooks/lib/spec-problems.ts';
import { turns } from '../../examples/340-prometheus/hooks/lib/turns.ts';
import { tellSources } from '../../examples/340-prometheus/hooks/lib/verdicts.ts';
import { isNumbered } from '../../examples/340-prometheus/hooks/lib/workload.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { prometheus, ruleSource, rules, serviceMonitor } from './prometheus-objects.ts';
import { promtoolFolder } from './prometheus-programs.ts';

const never = new AbortController().signal;
const { configuration } = pack(prometheus(), [rules('a')]);
const [ruleFile = ''] = configuration.ruleFiles;
const METRICS = [
  'prometheus_config_last_reload_successful 1',
  `prometheus_rule_group_rules{rule_group="/etc/prometheus/config/${ruleFile};a-0"} 1`,
  '',
].join('\n');

const closing = new DisposableStack();
afterAll(() => closing.dispose());

/** A Prometheus at an address of its own, and what it was asked. */
async function listen(address: string, answer: RequestListener): Promise<readonly string[]> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  closing.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(9090, address, resolve));
  return asked;
}

/** So many Pods at one address. */
function podsAt(ip: string, count = 1) {
  return Array.from({ length: count }, (_, index) => {
    const name = `prometheus-main-${index}`;
    return { name, uid: `${ip} ${name}`, ip, restarts: 0, running: true };
  });
}

/** What is said of the Pod at an address. */
async function stateOf(address: string, answer: RequestListener) {
  const asked = await listen(address, answer);
  const [state] = await loadInto(podsAt(address), configuration, { known: [], owner: address, signal: never });
  return { state: state?.state, asked };
}

const show =
  (yaml: string): RequestListener =>
  ({ url }, response) =>
    response.end(url === '/metrics' ? METRICS : JSON.stringify({ status: 'success', data: { yaml } }));

describe.concurrent('a Prometheus', { timeout: 60_000 }, () => {
  const mark = `/etc/prometheus/config/marked-${configuration.hash}-*`;

  it('has loaded a configuration when it shows its mark among the rule files', async () => {
    const yaml = `global:\n  a: b\nrule_files:\n- /etc/prometheus/config/rules.*.yaml\n- ${mark}\nscrape_configs:\n`;

    expect(await stateOf('127.0.90.1', show(yaml))).toMatchObject({ state: 'loaded', asked: { length: 2 } });
  });

  it.each([
    ['127.0.90.2', `rule_files:\n- /a\nscrape_configs:\n- job_name: a\n  params:\n    x: ["${mark}"]\n`],
    ['127.0.90.3', String.raw`scrape_configs:\n- job_name: "\nrule_files:\n- ${mark}\n"`],
    ['127.0.90.4', `scrape_configs:\n- job_name: |\n    \n    rule_files:\n    - ${mark}\n`],
  ])('at %s has not loaded it where a monitor says so', async (address, yaml) => {
    const { state, asked } = await stateOf(address, show(yaml));

    expect(state).toBe('waiting');
    expect(asked).toContain('POST /-/reload');
  });

  it.each<[string, string, RequestListener]>([
    ['127.0.90.5', 'redirects', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['127.0.90.6', 'answers nonsense', (_, response) => response.end('{"data": {"yaml": 1}')],
    ['127.0.90.7', 'never ends its answer', (_, response) => void response.write('{')],
    ['127.0.90.8', 'answers without end', (_, response) => endless(() => response.write('x'.repeat(1_000_000)))],
  ])('at %s that %s is waited for no longer than a minute, and believed nothing', async (address, _, answer) => {
    const { state } = await stateOf(address, answer);

    expect(['waiting', 'refused']).toContain(state);
  });

  it('has loaded a configuration of which it shows 10 MB, with metrics of 20 MB', async () => {
    const yaml = `rule_files:\n- ${mark}\nscrape_configs:\n${'- "\\"\n'.repeat(2_000_000)}`;
    const metrics = `${'another_metric{a="b"} 1\n'.repeat(900_000)}${METRICS}`;
    const body = JSON.stringify({ status: 'success', data: { yaml } });

    const answer: RequestListener = ({ url }, response) => response.end(url === '/metrics' ? metrics : body);

    expect(await stateOf('127.0.90.10', answer)).toMatchObject({ state: 'loaded', asked: { length: 2 } });
  });

  it('whose 20 Pods hang has three of them asked once in a minute, however often it is looked at', async () => {
    const asked = await listen('127.0.90.11', () => undefined);
    const look = { known: [], owner: 'hanging', signal: never };

    const first = await loadInto(podsAt('127.0.90.11', 20), configuration, look);
    const begin = performance.now();
    const second = await loadInto(podsAt('127.0.90.11', 20), configuration, look);

    expect(asked.length).toBeLessThanOrEqual(3);
    expect(new Set(asked)).toEqual(new Set(['GET /api/v1/status/config']));
    expect(performance.now() - begin).toBeLessThan(1000);
    expect(first.map((one) => one.state)).toEqual(second.map((one) => one.state));
    expect(second[0]).toMatchObject({
      message: expect.stringContaining('it does not show its configuration: curl: (28)'),
    });
    expect(second.every((one) => one.state === 'waiting' && (one.seconds ?? 0) > 30)).toBe(true);
  });
});

describe('a Prometheus by itself', { timeout: 120_000 }, () => {
  it('of 12 Pods is asked for two at a time, whose answers of 40 MB cost less than 150 MB', async () => {
    const pods = podsAt('127.0.90.9', 12);
    let [open, most] = [0, 0];
    await listen('127.0.90.9', (_, response) => {
      most = Math.max(most, (open += 1));
      response.on('close', () => (open -= 1));
      for (let count = 0; count < 40; count += 1) response.write(MEGABYTE);
      response.end();
    });
    const before = process.memoryUsage.rss();
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);

    const states = await loadInto(pods, configuration, { known: [], owner: 'twelve', signal: never });

    clearInterval(timer);
    expect(states.map(({ state }) => state)).toEqual(pods.map(() => 'waiting'));
    expect(most).toBeLessThanOrEqual(2);
    expect((peak - before) / 1e6).toBeLessThan(150);
  });

  it('that answers, but slowly, is asked again after 15 s, however often it has been slow', async () => {
    await listen('127.0.90.12', (_, response) => void setTimeout(() => response.end('{}'), 3000));
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const look = { known: [], owner: 'slow', signal: never };

    for (const now of [0, 15_000, 30_000]) {
      vi.setSystemTime(now);
      expect(await loadInto(podsAt('127.0.90.12'), configuration, look)).toMatchObject([
        { state: 'waiting', message: 'its volume has an older configuration', seconds: 15 },
      ]);
    }
  });
});

const MEGABYTE = Buffer.alloc(1_000_000, 'x');

function endless(write: () => boolean): void {
  const timer = setInterval(write, 1);
  closing.defer(() => clearInterval(timer));
}

describe('a configuration', () => {
  const odd = [
    '"',
    "'",
    '\n',
    '{{',
    '}}',
    '\\',
    '#',
    ': ',
    '- ',
    '*',
    '&a',
    '!!',
    '%',
    '@',
    '`',
    '\t',
    '🙂',
    '$1',
    '\u2028',
  ];

  it.each(odd)('says %j as it was said, in labels, parameters, rules and replacements', (text) => {
    const monitor = serviceMonitor('m', {
      port: 'web',
      params: { [`p${text}`]: [`${text}x${text}`] },
      relabelings: [{ targetLabel: 'a', replacement: `${text}\nnew: line` }],
    });
    const source = { ...ruleSource('r'), spec: { groups: [{ name: text, rules: [{ record: 'a', expr: text }] }] } };
    const owner = prometheus({ externalLabels: { a: text } });

    const yaml = parse(configurationOf(owner, [monitor], { folder: '/f', mark: 'm' }));
    const [file] = ruleFiles(source).files;

    expect(yaml.global.external_labels.a).toBe(text.replaceAll('$', '$$$$'));
    expect(yaml.scrape_configs).toHaveLength(1);
    expect(yaml.scrape_configs[0].params).toEqual({ [`p${text}`]: [`${text}x${text}`] });
    expect(yaml.scrape_configs[0].relabel_configs.at(-1)).toEqual({
      target_label: 'a',
      replacement: `${text}\nnew: line`,
    });
    expect(parse(file?.content ?? '')).toEqual({ groups: source.spec.groups });
  });

  it('of an Alertmanager whose name is a regular expression finds a Service of exactly this name', () => {
    const owner = prometheus({ alerting: { alertmanagers: [{ name: '.*', port: 'a|b' }] } });
    const yaml = parse(configurationOf(owner, [], { folder: '/f', mark: 'm' }));

    expect(yaml.alerting.alertmanagers[0].relabel_configs).toMatchObject([
      { regex: String.raw`\.\*` },
      { regex: String.raw`a\|b` },
    ]);
  });

  it('has two files for two rules whose long names are the same as far as they fit', () => {
    const names = ['a', 'b'].map((end) => `${'x'.repeat(130)}${end}`);
    const files = names.map((name) => {
      const source = ruleSource('r');
      return ruleFiles({ ...source, metadata: { ...source.metadata, name } }).files[0]?.name;
    });

    expect(new Set(files).size).toBe(2);
  });

  it('of 10,000 monitors is judged 900,000 bytes at a time, and the others are told why they are left out', async () => {
    const items = Array.from({ length: 10_000 }, (_, index) => serviceMonitor(`m${index}`));
    const asked: number[] = [];
    const judge = async (some: readonly Item[]): Promise<Judgment> => {
      asked.push(Buffer.byteLength(configurationOf(prometheus(), some, { folder: '/f', mark: 'm' })));
      const isFirst = asked.length === 1;
      const leftOut = isFirst
        ? [{ item: some[0] ?? serviceMonitor(''), reason: 'Refused' as const, message: 'bad' }]
        : [];
      return { kept: isFirst ? some.slice(1) : some, leftOut, calls: 1 };
    };

    const found = await fitted(prometheus(), items, judge);

    expect(Math.max(...asked)).toBeLessThanOrEqual(900_000);
    expect(asked).toHaveLength(2);
    if (found.refused !== undefined) throw new Error(found.refused);
    // The room of the bad one went to the next.
    expect(found.configuration.items.at(-1)?.source.metadata.name).toBe(`m${found.configuration.items.length}`);
    expect(found.configuration.items.length + found.leftOut.length).toBe(10_000);
    expect(new Set(found.leftOut.map(({ reason }) => reason))).toEqual(new Set(['Refused', 'TooLarge']));
  });
});

describe('names and labels that anybody can write', () => {
  it('make no Pod and no claim part of a Prometheus', () => {
    const of = 'prometheus-main';

    expect(['prometheus-main-0', 'prometheus-main-12'].every((name) => isNumbered(name, of))).toBe(true);
    expect(
      ['mine', 'prometheus-main', 'prometheus-main-', 'prometheus-main-0-0', 'xprometheus-main-0'].filter((name) =>
        isNumbered(name, of),
      ),
    ).toEqual([]);
  });

  it('have two Prometheuses speak of one monitor as two, also where their names joined are the same', () => {
    const managers = [
      ['a', 'b-c'],
      ['a-b', 'c'],
    ].map(([namespace = '', name = '']) => {
      const said: (string | undefined)[] = [];
      const apply: Patch['apply'] = (_, options) => void said.push(options?.fieldManager);
      const item = serviceMonitor('m');
      // Nothing but `apply` is called.
      const patch = { apply } as Patch;
      const sources = { serviceMonitors: [], podMonitors: [], rules: [], namespaces: [] };
      tellSources(
        { metadata: { namespace, name, uid: `${namespace} ${name}` }, spec: {} },
        { items: [item], leftOut: [], sources, patch, attempt: 1 },
      );
      return said[0];
    });

    expect(managers).toEqual(['prometheus/a/b-c', 'prometheus/a-b/c']);
  });

  it('are compared as they are, whatever every JavaScript object has', () => {
    const expression = { key: 'constructor', operator: 'Exists' } as const;

    expect(selects({ matchExpressions: [expression] }, {})).toBe(false);
    expect(selects({ matchExpressions: [{ ...expression, operator: 'DoesNotExist' }] }, {})).toBe(true);
  });

  it.each(['a.b', 'x'.repeat(41), 'A', '-a'])('refuse %j as a name, since the Service could not have it', (name) => {
    const refused = specProblems({ metadata: { namespace: 'shop', name, uid: '' }, spec: {} });

    expect(refused).toEqual([expect.stringMatching(/^metadata\.name: got ".*", expected at most 40 lower case/)]);
  });
});

it('a Pod that took long to answer is asked again at once where the clock is set back by a day', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  tookLong('pod-of-a-clock', 'silent', true);
  pause('owner-of-a-clock', true);
  expect(notNow('owner-of-a-clock', 'pod-of-a-clock')).toEqual({ message: 'silent', seconds: 60 });
  vi.setSystemTime(0);

  expect(notNow('owner-of-a-clock', 'pod-of-a-clock')).toBeUndefined();
});

describe('a status that the API server refuses', () => {
  const saying = (name: string, is: string, wanted: string) => ({
    kind: 'PrometheusRule' as const,
    source: { ...ruleSource(name), bindings: null },
    is,
    wanted,
  });

  /** Says at each second of an hour which of these are written; what was written is seen, but for `refused`. */
  function hourOf(names: (second: number) => readonly string[], isRefused: (name: string) => boolean) {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const said = new Set<string>();
    return Array.from({ length: 3600 }, (_, second) => {
      vi.setSystemTime(second * 1000);
      const sayings = names(second).map((name) => saying(name, said.has(name) ? 'a' : '', 'a'));
      const owner = `${expect.getState().currentTestName}`;
      const { due } = dueWrites(owner, sayings, { isLeaving: false, isRetry: false });
      const written = due.map(({ source }) => source.metadata.name);
      for (const name of written) if (!isRefused(name)) said.add(name);
      return written;
    });
  }

  it('is tried at most 6 times in an hour, and the others are written at once', () => {
    const hour = hourOf(
      () => ['bad', 'a', 'b'],
      (name) => name === 'bad',
    );

    expect(hour[0]).toEqual(['bad', 'a', 'b']);
    expect(hour.slice(1).flat().length).toBeLessThan(6);
  });

  it('holds up the others for 5 s at most where the clock is set back by a day', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    const written = (names: readonly string[]) =>
      dueWrites(
        'set-back',
        names.map((name) => saying(name, '', 'a')),
        { isLeaving: false, isRetry: false },
      ).due.map(({ source }) => source.metadata.name);
    expect(written(['bad'])).toEqual(['bad']);
    vi.setSystemTime(0);
    expect(written(['bad', 'new'])).toEqual([]);
    vi.setSystemTime(5000);

    expect(written(['bad', 'new'])).toContain('new');
  });

  it('fails one run in 5 s, however many of them come', () => {
    const hour = hourOf(
      (second) => Array.from({ length: 50 }, (_, index) => `bad${second + index}`),
      () => true,
    );

    expect(hour.filter((written) => written.length > 0).length).toBeLessThanOrEqual(3600 / 5);
  });
});

describe('promtool', { timeout: 120_000 }, () => {
  /** Programs before the PATH for the length of a test. */
  function programs(all: Readonly<Record<string, string>>): void {
    const folder = temporaryFolder();
    const path = process.env['PATH'];
    mkdirSync(join(folder.path, 'bin'));
    for (const [name, text] of Object.entries(all)) {
      writeFileSync(join(folder.path, 'bin', name), text);
      chmodSync(join(folder.path, 'bin', name), 0o755);
    }
    process.env['PATH'] = `${join(folder.path, 'bin')}${delimiter}${path}`;
    onTestFinished(() => {
      process.env['PATH'] = path;
      folder[Symbol.dispose]();
    });
  }

  it('that hangs, with a child of its own that holds its output, has given no answer after 20 s', async () => {
    programs({ promtool: '#!/bin/sh\nsleep 600\n' });
    const begin = performance.now();

    await expect(checkWith(prometheus(), never)([])).rejects.toThrow(/after 20 s at most, by SIGKILL/);
    expect(performance.now() - begin).toBeLessThan(30_000);
  });

  it('is that of the version of the Prometheus where there is one, so two of them may judge one rule differently', async () => {
    programs({
      promtool: '#!/bin/sh\necho SUCCESS\n',
      'promtool-2.42.0': '#!/bin/sh\ngrep -q A "${4%/*}"/rules.* && echo "FAILED: of 2.42.0" && exit 1\necho SUCCESS\n',
    });
    const judge = async (version: string) => judged(prometheus({ version }), [rules('a')], never);

    expect((await judge('2.42.0')).leftOut).toMatchObject([{ reason: 'Refused', message: 'of 2.42.0' }]);
    expect((await judge('3.13.5')).leftOut).toEqual([]);
  });

  it('runs twice at a time at most, and what waits leaves when it may wait no longer', async () => {
    const inTurn = turns(2);
    let running = 0;
    const most: number[] = [];
    const work = async (): Promise<void> => {
      most.push((running += 1));
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
    };
    const ended = new AbortController();

    const all = Array.from({ length: 6 }, async () => inTurn(never, work));
    const late = inTurn(ended.signal, work);
    ended.abort(new Error('its time is over'));

    await expect(late).rejects.toThrow('its time is over');
    await Promise.all(all);
    expect(most).toEqual([1, 2, 2, 2, 2, 2]);
  });

  const real = promtoolFolder();
  it.skipIf(real === undefined)(
    'that needs more than 250 MB for one monitor costs that monitor alone its place',
    async () => {
      const path = process.env['PATH'];
      process.env['PATH'] = `${real?.folder}${delimiter}${path}`;
      onTestFinished(() => {
        process.env['PATH'] = path;
        real?.[Symbol.dispose]();
      });
      const regex = Array.from({ length: 180 }, () => '(abcdefghij){999}').join('|');
      const large = serviceMonitor('large', { port: 'web', relabelings: [{ regex, targetLabel: 'a' }] });

      const { kept, leftOut } = await judged(prometheus(), [serviceMonitor('a'), large, rules('r')], never);

      expect(kept.map(({ source }) => source.metadata.name)).toEqual(['a', 'r']);
      expect(leftOut).toMatchObject([
        { item: large, reason: 'NoAnswer', message: expect.stringContaining('gave no answer') },
      ]);
    },
  );
});
