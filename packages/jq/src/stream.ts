// The public API of @hooklet/jq/stream: values that come one after the other, or in parts.

/** Cuts JSON texts that follow one another, and come in pieces, into documents. */
export { JsonSplitter, type JsonDocument } from './json-stream.ts';
/** The events of a value, as `jq --stream` and `tostream` give them. */
export { streamEvents } from './builtin-core.ts';
