import type { Minute } from '../model.ts';
import { markup, longText, type Html } from '../html.ts';
import { duration, empty } from '../parts.ts';
import type { View } from '../view.ts';

const WIDTH = 600;
const HEIGHT = 60;
/** The points of a curve as text; there are at most as many as minutes are kept. */
const MAX_POINTS = 20_000;

/** The last hours, a point for each minute. */
export const curvesView: View = {
  path: '/curves',
  title: 'Curves',
  isListed: true,
  parameters: {},
  right: () => ({ verb: 'list', resource: 'queues' }),
  render: async ({ model }) => {
    const minutes = model.curves();
    if (minutes.length < 2) return empty('There is a point for each minute; the first two are not there yet.');
    const number = (value: number): string => String(Math.round(value));
    return markup`<div class="curves">${[
      curve('Runs a minute', minutes, ({ runs }) => runs, number),
      curve('Failed runs a minute', minutes, ({ failures }) => failures, number),
      curve('Longest wait in a queue', minutes, ({ waitMs }) => waitMs, duration),
      curve('Tasks in queues', minutes, ({ queued }) => queued, number),
    ]}</div>`;
  },
};

function curve(
  title: string,
  minutes: readonly Minute[],
  valueOf: (minute: Minute) => number,
  text: (value: number) => string,
): Html {
  const values = minutes.map(valueOf);
  const max = values.reduce((a, b) => Math.max(a, b), 0);
  const step = WIDTH / (values.length - 1);
  const points = values.map(
    (value, index) => `${round(index * step)},${round(HEIGHT - (max === 0 ? 0 : (value / max) * (HEIGHT - 4)) - 2)}`,
  );
  const [first, last] = [minutes.at(0)?.atMs ?? 0, minutes.at(-1)?.atMs ?? 0];
  const words = `${title}: now ${text(values.at(-1) ?? 0)}, at most ${text(max)} in the last ${duration(last - first)}`;
  const line = points.join(' ');
  return markup`<figure><figcaption>${title} <b>${text(values.at(-1) ?? 0)}</b> <small>at most ${text(max)} in ${duration(last - first)}</small></figcaption><svg role="img" aria-label="${words}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"><polygon points="${longText(`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`, MAX_POINTS)}" /><polyline points="${longText(line, MAX_POINTS)}" /></svg></figure>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
