import type { MetricFamily } from '../../lib/exposition.ts';
import { valueSeries, type Labels, type ValueSeries } from '../../lib/series.ts';

/** A gauge with one series, which is `value`. */
export function gaugeOf(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: 'gauge', series: [seriesOf({}, value)] };
}

/** A counter with one series, which is `value`. */
export function counterOf(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: 'counter', series: [seriesOf({}, value)] };
}

/** A gauge with a series for each value of one label. */
export function gaugesOf(
  name: string,
  help: string,
  { label, values }: { readonly label: string; readonly values: Iterable<readonly [string, number]> },
): MetricFamily {
  return { name, help, type: 'gauge', series: [...values].map(([text, value]) => seriesOf({ [label]: text }, value)) };
}

/** A series that was read just now; it is not written again. */
export function seriesOf(labels: Labels, value: number): ValueSeries {
  return { ...valueSeries(labels), value };
}
