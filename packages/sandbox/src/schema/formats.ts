import { isIPv4, isIPv6 } from 'node:net';

/** The string formats that the API server checks, and how it checks them; others are not checked. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  cidr: isCidr,
  date: isDate,
  'date-time': isDateTime,
  datetime: isDateTime,
  duration: isDuration,
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  hostname: (text) => text.length <= 255 && HOSTNAME.test(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  mac: (text) => /^(?:[0-9a-f]{2}[:-]){5}(?:[0-9a-f]{2}[:-]?){1}$|^(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}$/i.test(text),
  uri: (text) => text.startsWith('/') || URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
};

const HOSTNAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.?$/i;

function isCidr(text: string): boolean {
  const [address = '', length = ''] = text.split('/', 2);
  if (!/^\d{1,3}$/.test(length)) return false;
  return (isIPv4(address) && Number(length) <= 32) || (isIPv6(address) && Number(length) <= 128);
}

function isDate(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date = '', time = ''] = /^(\d{4}-\d{2}-\d{2})[Tt](.+)$/.exec(text) ?? [];
  return isDate(date) && /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(time);
}

function isDuration(text: string): boolean {
  if (/^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  return /^\d+\s*(?:ns|nanos?|nanoseconds?|us|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)$/.test(
    text,
  );
}
