import type { JsonObject } from '@hooklet/sandbox';
import type { Place } from '../../hook/config-reader.ts';

/** What the readers of one story know besides its text, and what they collect for the checks that follow. */
export interface StoryContext {
  /** The folder of the file, to which its paths are relative. */
  readonly folder: string;
  /** Names of the hooks in the story's hooks folder; absent when that cannot be read. */
  readonly hookNames?: readonly string[];
  /** Names of the stand-ins; absent when their folder cannot be read. */
  readonly standIns?: readonly string[];
  /** Options that `given.options` may set. */
  readonly optionNames: readonly string[];
  /** Every object that the story names by its kind. */
  readonly kindUses: KindUse[];
  /** Every CustomResourceDefinition of the story. */
  readonly definitions: JsonObject[];
  /** Paths of the files and folders that the story is made of, absolute. */
  readonly paths: Set<string>;
}

/** A kind that the story names, and where. */
export interface KindUse {
  readonly place: Place;
  readonly apiVersion: string;
  readonly kind: string;
}

/** For what is read without a file, such as the schema. */
export function emptyContext(): StoryContext {
  return { folder: '/', optionNames: [], kindUses: [], definitions: [], paths: new Set() };
}
