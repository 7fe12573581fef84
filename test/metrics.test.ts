import { describe, expect, it } from 'vitest';
import { createMetrics, initKubernetesBinding, initRun, type Metrics } from '../src/metrics.ts';

const run = { hook: 'a.sh', binding: 'pods', queue: 'main' };

describe('the metrics', () => {
  it('have the names of the peer, with the prefix', () => {
    const text = createMetrics('shell_operator_').text();

    const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    expect(names).toEqual(
      expect.arrayContaining(
        [
          'live_ticks counter',
          'tasks_queue_length gauge',
          'tasks_queue_action_duration_seconds histogram',
          'tasks_queue_compaction_operations_total counter',
          'task_wait_in_queue_seconds_total counter',
          'hook_run_seconds histogram',
          'hook_run_user_cpu_seconds histogram',
          'hook_run_sys_cpu_seconds histogram',
          'hook_run_max_rss_bytes gauge',
          'hook_run_success_total counter',
          'hook_run_errors_total counter',
          'hook_run_allowed_errors_total counter',
          'hook_loop_runs_total counter',
          'hook_enable_kubernetes_bindings_seconds gauge',
          'hook_enable_kubernetes_bindings_success gauge',
          'hook_enable_kubernetes_bindings_errors_total counter',
          'kube_snapshot_objects gauge',
          'kube_jq_filter_duration_seconds histogram',
          'kube_event_duration_seconds histogram',
          'kubernetes_client_watch_errors_total counter',
          'kubernetes_client_request_latency_seconds histogram',
          'kubernetes_client_request_result_total counter',
          'kubernetes_client_rate_limiter_latency_seconds histogram',
        ].map((name) => `shell_operator_${name}`),
      ),
    );
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
      ]),
    );
  });
});

function linesOf(metrics: Metrics): readonly string[] {
  return metrics.text().split('\n');
}
