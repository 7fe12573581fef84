import { parseDefinitions } from './parse.ts';
import type { Definition } from './syntax.ts';

/** Returns the builtin `name/arity` if it is written in jq; the text of all of them is parsed on first use. */
export function preludeDefinition(name: string, arity: number): Definition | undefined {
  definitions ??= new Map(parseDefinitions(PRELUDE).map((definition) => [keyOf(definition), definition]));
  return definitions.get(`${name}/${arity}`);
}

/** The `name/arity` of every builtin written in jq. */
export function preludeNames(): readonly string[] {
  return parseDefinitions(PRELUDE).map(keyOf);
}

let definitions: ReadonlyMap<string, Definition> | undefined;

function keyOf({ name, params }: Definition): string {
  return `${name}/${params.length}`;
}

const PRELUDE = String.raw`
def values: select(. != null);
def isfinite: type == "number" and (isinfinite | not);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type == "array" or type == "object");
def scalars: select(type != "array" and type != "object");
def finites: select(isfinite);
def normals: select(isnormal);

def recurse: ..;
def recurse(f): def down: ., (f | down); down;
def recurse(f; condition): def down: ., (f | select(condition) | down); down;
def recurse_down: ..;
def while(condition; update): def turn: if condition then ., (update | turn) else empty end; turn;
def until(condition; next): def turn: if condition then . else next | turn end; turn;
def repeat(f): def turn: f, turn; turn;
def range($to): range(0; $to);
def combinations:
  if length == 0 then []
  else .[0][] as $head | .[1:] | combinations | [$head] + .
  end;
def combinations($count): [range($count) as $_ | .] | combinations;
def walk(f):
  def visit: if type == "object" then map_values(visit) elif type == "array" then map(visit) else . end | f;
  visit;
def env: $ENV;

def first: .[0];
def last: .[-1];
def nth($index): .[$index];
def nth($index; f):
  if $index < 0 then error("nth doesn't support negative indices") else first(skip($index; f)) end;
def in(container): . as $key | container | has($key);
def inside(container): . as $part | container | contains($part);
def add(f): reduce f as $item (null; . + $item);
def any: any(.[]; .);
def any(condition): any(.[]; condition);
def all: all(.[]; .);
def all(condition): all(.[]; condition);
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(condition): path(.. | select(condition)) | select(length > 0);
def leaf_paths: paths(scalars);
def del(f): delpaths([path(f)]);
def pick(f): . as $whole | reduce path(f) as $path (null; setpath($path; $whole | getpath($path)));

def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def todateiso8601: todate;
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def fromdate: fromdateiso8601;
def date: todate;
def dateadd(unit; amount): . + amount;
def datesub(unit; amount): . - amount;

def IN(stream): any(stream == .; .);
def IN(source; stream): any(source == stream; .);
def INDEX(key): INDEX(.[]; key);
def INDEX(stream; key): reduce stream as $row ({}; .[$row | key | tostring] = $row);
def JOIN($index; key): [.[] | [., $index[key]]];
def JOIN($index; stream; key): stream | [., $index[key]];
def JOIN($index; stream; key; join): stream | [., $index[key]] | join;

def fromstream(events):
  {done: false, value: null} as $start
  | foreach events as $event ($start;
      (if .done then $start else . end)
      | if $event | length == 2
        then .done = ($event[0] | length == 0) | .value |= setpath($event[0]; $event[1])
        else .done = ($event[0] | length == 1)
        end;
      if .done then .value else empty end);
def truncate_stream(events):
  . as $depth | null | events | select(.[0] | length > $depth) | .[0] |= .[$depth:];

def debug(messages): (messages | debug | empty), .;
def halt_error: halt_error(5);
`;
