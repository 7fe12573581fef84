import { isJsonObject, type JsonValue } from '@hooklet/sandbox';
import type { JqProgram } from '@hooklet/jq';
import { writeText } from '../expect/expected-writes.ts';
import { compileProgram, FILTER_LIMITS } from '../../filter/jq-filter.ts';
import type { Scenario } from '../scenario.ts';
import type { Moment, Write } from '../timeline.ts';

/** The invariants of a story. */
export interface Invariants {
  /** A message for each write that breaks one. */
  broken(moments: readonly Moment[]): readonly string[];
}

/** Compiles the programs of `never`; the reader has refused those that do not compile. */
export function openInvariants(never: Scenario['never']): Invariants {
  const programs = never.map(({ name, program }) => ({ name, program: compileProgram(program, LIMITS) }));
  return {
    broken: (moments) =>
      moments.flatMap((moment) =>
        moment.type !== 'write' || !moment.isChange
          ? []
          : programs.flatMap(({ name, program }) => verdict(name, program, moment) ?? []),
      ),
  };
}

function verdict(name: string, program: JqProgram, write: Write): string | undefined {
  const { verb, by, object, subresource = null, before = null, after = null } = write;
  let isBroken = false;
  try {
    const input: JsonValue = { verb, by, object: { ...object }, subresource, before, after };
    program.run(input, (output) => {
      isBroken ||= output !== null && output !== false;
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    return `${name}: cannot be judged: ${reason} (${writeText(write)})`;
  }
  return isBroken ? `${name}: ${writeText(write)}${shownChange(write)}` : undefined;
}

function shownChange({ before, after }: Write): string {
  const parts = [before, after].map((object) => (isJsonObject(object) ? JSON.stringify(object) : 'nothing'));
  const [old = '', fresh = ''] = parts.map((text) =>
    text.length > MAX_OBJECT ? `${text.slice(0, MAX_OBJECT)}…` : text,
  );
  return `\n  before: ${old}\n  after: ${fresh}`;
}

const MAX_OBJECT = 600;
/** Nothing ends a search with a regular expression, which would stop all stories: one that may take too long is not begun. */
const LIMITS = { ...FILTER_LIMITS, maxUnbroken: 1e9 };
