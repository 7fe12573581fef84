import { HookOutputError } from '../errors.ts';
import { readJsonStream } from './documents.ts';
import { FieldReader, received, type FieldProblem } from './field-reader.ts';
import { readMetric, METRIC_FIELDS, type MetricOperation } from './read-metric.ts';
import { outputProblems, place, shownWarnings } from './output-problems.ts';
import { isObject } from '../lib/json-object.ts';

export { metricsDespiteFailure, type MetricOperation } from './read-metric.ts';

export interface ParsedMetrics {
  readonly operations: readonly MetricOperation[];
  /** Likely mistakes that do not prevent the metrics from being applied, one line each. */
  readonly warnings: readonly string[];
}

/** Reads what a hook wrote to `METRICS_PATH`; throws `HookOutputError` with every problem of the file. */
export function parseMetrics(text: string): ParsedMetrics {
  const { documents, problems } = readJsonStream(text);
  const found = outputProblems(problems);
  const operations: MetricOperation[] = [];
  const warnings: string[] = [];
  for (const document of documents) {
    const parsed = parseMetric(document.value);
    found.add(document, parsed.problems);
    warnings.push(...parsed.warnings.map((warning) => `${place(document)}: ${warning}`));
    if (parsed.operation !== undefined) operations.push(parsed.operation);
  }
  if (found.count > 0)
    throw new HookOutputError(found.describe('METRICS_PATH'), { brief: found.brief('METRICS_PATH') });
  return { operations, warnings: shownWarnings(warnings) };
}

interface ParsedMetric {
  readonly operation?: MetricOperation | undefined;
  readonly problems: readonly FieldProblem[];
  readonly warnings: readonly string[];
}

function parseMetric(value: unknown): ParsedMetric {
  if (value === null) return { problems: [], warnings: ['null, with which nothing is done'] };
  if (!isObject(value)) {
    const message = `received ${received(value)}, expected an object with a metric operation`;
    return { problems: [{ field: '', message }], warnings: [] };
  }
  const reader = new FieldReader(value);
  const operation = readMetric(reader);
  const unknown = reader.unknownKeys(METRIC_FIELDS).map((key) => `${key} has no effect and is ignored`);
  return { operation, problems: reader.problems, warnings: [...reader.warnings, ...unknown] };
}
