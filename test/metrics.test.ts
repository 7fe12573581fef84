import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../src/lib/metric.ts';
import { createMetrics, initKubernetesBinding, initRun, type Metrics } from '../src/metrics.ts';

interface PeerFamily {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

interface PeerMetrics {
  /** As the page of a running shell-operator has them. */
  readonly read: readonly PeerFamily[];
  /** What its page did not show, or shows otherwise than it is documented. */
  readonly declared: readonly PeerFamily[];
}

const file = new URL('fixtures/shell-operator-metrics.json', import.meta.url);
const PEER = JSON.parse(readFileSync(file, 'utf8')) as PeerMetrics;

const run = { hook: 'a.sh', binding: 'pods', queue: 'main' };

describe('the metrics', () => {
  it.each(['shell_operator_', 'hooklet_'])(
    'have the names, types, labels and buckets of shell-operator with %s',
    (prefix) => {
      const known = new Map(familiesOf(createMetrics(prefix)).map((family) => [family.name, family]));

      const theirs = [...PEER.read, ...PEER.declared];
      expect(theirs.length).toBe(30);
      for (const { name, buckets = [], ...rest } of theirs) {
        const own = known.get(name.replace('{prefix}', prefix));
        expect(own, name).toMatchObject(rest);
        // More buckets do not harm a query.
        expect(
          buckets.filter((bound) => own?.buckets.includes(bound) !== true),
          name,
        ).toEqual([]);
      }
    },
  );

  it('measure operations on queues unless that is turned off', () => {
    const pageOf = (metrics: Metrics): string => {
      metrics.queueActed('main', 'AddLast', 0.001);
      return metrics.text();
    };

    const line = 'tasks_queue_action_duration_seconds_count{queue_name="main",queue_action="AddLast"} 1';
    expect(pageOf(createMetrics(''))).toContain(line);
    expect(pageOf(createMetrics('', { queueActions: false }))).not.toContain('queue_action=');
  });

  it('all say what they mean', () => {
    const { families } = createMetrics('');

    expect(families.filter(({ help }) => !/^.{10,}\.$/.test(help))).toEqual([]);
  });

  it('start at 0 where there is nothing to tell apart', () => {
    const lines = linesOf(createMetrics('p_'));

    expect(lines).toEqual(
      expect.arrayContaining([
        'p_live_ticks 0',
        'p_hooks_broken 0',
        'p_kubernetes_client_watch_errors_total{error_type="expired"} 0',
      ]),
    );
  });

  it('start at 0 for the runs of a binding that is known', () => {
    const metrics = createMetrics('');

    initRun(metrics, run);

    const labels = 'hook="a.sh",binding="pods",queue="main"';
    expect(linesOf(metrics)).toEqual(
      expect.arrayContaining([
        `hook_run_success_total{${labels}} 0`,
        `hook_run_errors_total{${labels}} 0`,
        `hook_run_allowed_errors_total{${labels}} 0`,
        `task_wait_in_queue_seconds_total{${labels}} 0`,
      ]),
    );
  });

  it('have a page below 12 MB for 5000 bindings that all ran and saw events', () => {
    const metrics = createMetrics('shell_operator_');
    for (let n = 0; n < 5000; n += 1) {
      const labels = { hook: `hooks/some/folder/hook-${n}.sh`, binding: `binding-${n}`, queue: `queue-${n}` };
      initRun(metrics, labels);
      initKubernetesBinding(metrics, labels);
      const histograms = [
        metrics.taskWaitDuration,
        metrics.hookRunSeconds,
        metrics.hookRunUserCpuSeconds,
        metrics.hookRunSysCpuSeconds,
        metrics.filterSeconds,
        metrics.eventSeconds,
      ];
      for (const histogram of histograms) histogram.observe(labels, 0.1);
      metrics.hookRunErrors.inc(labels);
    }

    const text = metrics.text();

    expect(text.length).toBeLessThan(12e6);
    // Nothing is lost: label sets without a series of their own share one series.
    const other = 'hook="(other)",binding="(other)",queue="(other)"';
    expect(text).toContain(`\nshell_operator_hook_run_seconds_count{${other}} 4700\n`);
    expect(text.match(/^shell_operator_hook_run_errors_total\{/gm)).toHaveLength(5000);
    expect(text).toContain(
      '\nshell_operator_metric_series_overflows_total{metric="shell_operator_hook_run_seconds"} 4700\n',
    );
  });

  it('have a page that does not grow with bindings above 5000', () => {
    const metrics = createMetrics('');
    const fill = (from: number, to: number): number => {
      for (let n = from; n < to; n += 1) initRun(metrics, { hook: `h${n}`, binding: '', queue: '' });
      return metrics.text().length;
    };
    fill(0, 5001);

    expect(fill(5001, 5002) - fill(5002, 8000)).toBeLessThan(10);
    expect(fill(8000, 9000) - fill(9000, 9001)).toBeLessThan(10);
  });

  it('have no histogram of a binding before something was observed', () => {
    const metrics = createMetrics('');

    initRun(metrics, run);
    initKubernetesBinding(metrics, run);
    expect(metrics.text()).not.toContain('hook_run_seconds_bucket');
    metrics.hookRunSeconds.observe(run, 600);

    expect(linesOf(metrics)).toContain('hook_run_seconds_bucket{hook="a.sh",binding="pods",queue="main",le="500"} 0');
  });

  it('start at 0 for a kubernetes binding, and keep what is counted already', () => {
    const metrics = createMetrics('');
    metrics.filterErrors.inc(run);

    initKubernetesBinding(metrics, run);

    const labels = 'hook="a.sh",binding="pods",queue="main"';
    expect(linesOf(metrics)).toEqual(
      expect.arrayContaining([
        `kube_filter_errors_total{${labels}} 1`,
        `kube_events_suppressed_total{${labels}} 0`,
        'hook_enable_kubernetes_bindings_success{hook="a.sh"} 0',
        'hook_enable_kubernetes_bindings_errors_total{hook="a.sh"} 0',
        'binding_monitor_missing_total{binding="pods"} 0',
      ]),
    );
  });
});

function linesOf(metrics: Metrics): readonly string[] {
  return metrics.text().split('\n');
}

function familiesOf({ families }: Metrics) {
  return families.map((family) => {
    const { name, type, labelNames } = family;
    const [first] =
      family instanceof Histogram ? [family.of(Object.fromEntries(labelNames.map((one) => [one, 'x'])))] : [];
    return { name, type, labels: labelNames.toSorted(), buckets: first?.buckets ?? [] };
  });
}
