// The public API of @hooklet/jq/stream: reading several values from one text, or one value in parts.

/** Splits concatenated JSON texts, which may arrive in pieces, into documents. */
export { JsonSplitter, type JsonDocument } from './json-stream.ts';
/** Returns the events of a value, as `jq --stream` and `tostream` emit them. */
export { streamEvents } from './builtin-core.ts';
