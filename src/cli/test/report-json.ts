import { timelineLines } from '../../scenario/story/timeline-text.ts';
import { commandOf, countsOf, type TestReport, verdictOf } from './report.ts';

/** The report as one JSON document. */
export function reportJson(report: TestReport): string {
  const { stories, problems, tookMs } = report;
  const { passed, failed, 'not run': left } = countsOf(report);
  const told = stories.map(({ scenario, result }) => ({
    name: scenario.name,
    file: scenario.file,
    line: scenario.line,
    verdict: verdictOf(result),
    tookMs: Math.round(result?.tookMs ?? 0),
    failures: (result?.failures ?? []).map(({ line, where, path, message }) => ({ line, where, path, message })),
    timeline: timelineLines(result?.timeline ?? []),
    command: commandOf(scenario),
    ...(result?.report !== undefined && {
      perturbations: {
        kinds: result.report.kinds,
        findings: result.report.findings.map((finding) => ({
          kind: finding.kind,
          disturbance: finding.disturbance,
          differences: finding.differences,
          timeline: timelineLines(finding.timeline),
          command: commandOf(scenario, finding),
        })),
      },
    }),
  }));
  const summary = { stories: stories.length, passed, failed, notRun: left, tookMs: Math.round(tookMs) };
  return `${JSON.stringify({ stories: told, problems, summary }, undefined, 2)}\n`;
}
