const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d{1,9})?(Z|[-+]\d\d:\d\d))|(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(\.\d{1,9})?))?$/;

/** A timestamp of YAML 1.1 as Go writes it in JSON, in RFC 3339; `undefined` for what Go reads as no timestamp. */
export function goTimestamp(word: string): string | undefined {
  const match = TIMESTAMP.exec(word);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', ...rest] = match;
  const [hour, minute, second, fraction, zone = 'Z'] = rest[0] === undefined ? rest.slice(5) : rest;
  const date = [year, two(month), two(day)].join('-');
  const time = [two(hour), two(minute), two(second)].join(':');
  if (!isTime(date, time)) return undefined;
  const digits = (fraction ?? '').replace(/\.?0+$/, '');
  return `${date}T${time}${digits}${/^[-+]00:00$/.test(zone) ? 'Z' : zone}`;
}

function two(digits = '0'): string {
  return digits.padStart(2, '0');
}

/** Whether both exist: `Date` takes 30 February for a day of March. */
function isTime(date: string, time: string): boolean {
  const atMs = Date.parse(`${date}T${time}Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(`${date}T${time}`);
}
