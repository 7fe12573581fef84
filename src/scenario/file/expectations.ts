import type { JsonObject } from '@hooklet/sandbox';
import { inside, type Place, present, report, reportValue } from '../../hook/config-reader.ts';
import { shown } from '../../lib/shown.ts';
import type { ExpectedEvent, ExpectedObject, Expectation } from '../expectation.ts';
import type { StoryContext } from './context.ts';
import {
  anyMapping,
  anyValue,
  byName,
  derived,
  described,
  either,
  type Field,
  finite,
  flag,
  list,
  mapping,
  mark,
  oneOrMore,
  plainText,
  text,
  whole,
  word,
} from './field.ts';
import { hookName } from './hook-names.ts';
import { partialObject } from './objects.ts';

const MAX_COUNT = 100_000;
const OUTCOMES = ['succeeded', 'later', 'failed', 'replaced', 'interrupted'] as const;
const VERBS = ['create', 'update', 'patch', 'apply', 'delete'] as const;
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** `expect` of a step, and of `given`. */
export function expectation(context: StoryContext): Field<Expectation> {
  const fields = {
    runs: described(numberOr(run(context)), 'All runs of this step; a number: how many.'),
    objects: described(list(object(context), { minLength: 1 }), 'Objects as subsets.'),
    writes: described(numberOr(write(context)), 'All changes that hooks and hooklet made; a number: how many.'),
    calls: described(numberOr(call(context)), 'All calls of stand-ins; a number: how many.'),
    status: described(list(status(context), { minLength: 1 }), 'The status of objects, beside their names.'),
    events: described(list(event, { minLength: 1 }), 'Events that were written in this step.'),
    metrics: described(list(metric, { minLength: 1 }), 'Metrics and their values.'),
    answer: described(answer, 'What the last request of this step was answered.'),
    log: described(oneOrMore(text), 'Texts that lines of the log contain.'),
  };
  return derived(mapping(fields), (values, place) => {
    const given = present(values);
    return Object.keys(given).length === 0 ? report(place, 'expects nothing; leave it out, or say what') : given;
  });
}

function numberOr<T extends object>(one: Field<T>): Field<number | readonly T[]> {
  return either((value) => !Array.isArray(value), whole(0, MAX_COUNT), list(one));
}

function run(context: StoryContext) {
  const fields = {
    hook: hookName(context),
    outcome: word(OUTCOMES),
    exit: whole(0, 255),
    attempt: whole(1, MAX_COUNT),
    queue: text,
    contexts: list(anyMapping),
    message: text,
    output: oneOrMore(text),
    next: word(['done', 'retry', 'drop', 'dead', 'keep', 'answer']),
  };
  return derived(mapping(fields, { hook: 'the name of a hook' }), ({ hook = '', ...rest }, place) =>
    rest.outcome === 'succeeded' && rest.message !== undefined
      ? report(inside(place, 'message'), 'can never hold: a run that succeeded has no error')
      : { hook, ...present(rest) },
  );
}

function object(context: StoryContext): Field<ExpectedObject> {
  const part = partialObject(context);
  const own = mapping({ absent: mark, count: whole(0, MAX_COUNT) });
  return {
    read: (value, place) => {
      const whole = anyMapping.read(value, place);
      if (whole === undefined) return undefined;
      const { absent, count, ...rest } = whole;
      const ends = own.read(present({ absent, count }), place);
      const read = part.read(rest, place);
      if (ends === undefined || read === undefined) return undefined;
      if (ends.absent === true) checkAbsent(read, ends.count, place);
      return { object: read, ...present(ends) };
    },
    schema: {
      ...part.schema,
      properties: { ...propertiesOf(part.schema), ...propertiesOf(own.schema) },
    },
  };
}

function propertiesOf(schema: JsonObject): JsonObject {
  return anyMapping.read(schema['properties'], { path: '', issues: [] }) ?? {};
}

/** The labels and the name of what must not be there may be given, for a kind of which there are others. */
function checkAbsent(expected: JsonObject, count: number | undefined, place: Place): void {
  const others = Object.keys(expected).filter((key) => !['apiVersion', 'kind', 'metadata'].includes(key));
  if (count !== undefined) others.push('count');
  if (others.length === 0) return;
  report(place, `can never hold: absent, and with ${others.join(', ')}; leave out one of them`);
}

const objectPart = mapping({ apiVersion: text, kind: text, namespace: text, name: text });
const namedPart = derived(objectPart, (values) => present(values));

function write(context: StoryContext) {
  const fields = {
    verb: word(VERBS),
    by: word(['hook', 'hooklet'] as const),
    hook: hookName(context),
    object: namedPart,
    subresource: text,
    before: anyMapping,
    after: anyMapping,
  };
  return derived(mapping(fields), (values, place) => {
    if (values.verb === 'create' && values.before !== undefined) {
      return report(inside(place, 'before'), 'can never hold: an object that is created was not there before');
    }
    if (values.verb === 'delete' && values.after !== undefined) {
      return report(inside(place, 'after'), 'can never hold: an object that is deleted is not there after it');
    }
    return present(values);
  });
}

const endless: Field<string> = derived(plainText, (value) => value.replace(/\n+$/, ''));

function call(context: StoryContext) {
  const fields = {
    program: standIn(context),
    args: list(plainText),
    exit: whole(0, 255),
    hook: hookName(context),
    stdin: described(endless, 'All that it read, where its stand-in keeps it; line ends at the end do not count.'),
  };
  return derived(mapping(fields, { program: 'the name of a stand-in' }), ({ program = '', ...rest }) => ({
    program,
    ...present(rest),
  }));
}

/** A program that can be called: without a stand-in nothing is known of its calls. */
function standIn({ standIns }: StoryContext): Field<string> {
  return derived(text, (program, place) => {
    if (standIns === undefined || standIns.includes(program)) return program;
    const there =
      standIns.length === 0
        ? 'no folder of stand-ins is given, see given.programs'
        : `it is none of ${standIns.join(', ')}`;
    return report(place, `got ${shown(program)}, whose calls can never be seen: ${there}`);
  });
}

function status(context: StoryContext): Field<JsonObject> {
  return derived(partialObject(context), (value, place) =>
    Object.keys(value).some((key) => !['apiVersion', 'kind', 'metadata'].includes(key))
      ? value
      : report(place, 'expects nothing of the status; write its fields beside metadata'),
  );
}

const event: Field<ExpectedEvent> = derived(
  mapping({
    type: word(['Normal', 'Warning'] as const),
    reason: text,
    message: text,
    object: namedPart,
    absent: mark,
  }),
  (values, place) => {
    const { absent, ...rest } = present(values);
    return Object.keys(rest).length === 0
      ? reportValue(place, values, 'a type, a reason, a message or an object')
      : { ...rest, ...present({ absent }) };
  },
);

const metric = derived(
  mapping(
    {
      name: text,
      labels: byName(plainText, METRIC_NAME, 'the name of a label'),
      value: finite,
      absent: mark,
    },
    { name: 'the name of a metric' },
  ),
  ({ name = '', ...rest }, place) => {
    if (!METRIC_NAME.test(name)) {
      return report(inside(place, 'name'), `got ${shown(name)}, which is no name of a metric`);
    }
    if (rest.absent === true && rest.value !== undefined) {
      return report(place, 'can never hold: absent, and with a value; leave out one of them');
    }
    return { name, ...present(rest) };
  },
);

const answer = derived(
  mapping({ code: whole(100, 599), allowed: flag, message: text, warnings: list(text), body: anyValue }),
  (values, place) => {
    const { code, allowed } = values;
    const isRefused = code !== undefined && code >= 400;
    return code !== undefined && allowed !== undefined && allowed === isRefused
      ? report(place, `can never hold: allowed is ${allowed}, and the code ${code}`)
      : present(values);
  },
);
