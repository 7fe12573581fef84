import { isObject, type JsonObject } from '../lib/json-object.ts';
import { readAnnotations, readLabels } from './config-labels.ts';
import {
  inside,
  present,
  readFields,
  report,
  reportType,
  reportValue,
  type Place,
  type Read,
} from './config-reader.ts';
import { checkResources } from './config-resources.ts';
import { JOB_CONTAINERS } from './job-desk.ts';
import type { JobRule } from './job-rule.ts';

const NO_NAME = `missing, expected the name of the container, which is ${JOB_CONTAINERS.hook} for that with the hook`;
const COMMANDS: Readonly<Record<JobRule['agent'], string>> = {
  image:
    'it has no effect, since hooklet starts the hook in its image; with agent: sidecar, say in job.command what the image runs',
  sidecar: 'expected in job.command and job.args, not in the template',
};

const readMapping: Read<JsonObject> = (value, place) =>
  isObject(value) ? value : reportType(place, value, { type: 'object', expected: 'a mapping' });

const readParts = readFields({ metadata: readMapping, spec: readMapping }, { isNonEmpty: true });

/** A PodTemplateSpec: what would have no effect, or no API server would take, is reported, and the rest is for that. */
export const readTemplate: Read<JsonObject> = (value, place) => {
  const { metadata, spec } = readParts(value, place);
  if (metadata !== undefined) checkMetadata(metadata, inside(place, 'metadata'));
  if (spec !== undefined) checkSpec(spec, inside(place, 'spec'));
  return metadata === undefined && spec === undefined ? undefined : present({ metadata, spec });
};

function checkMetadata({ labels, annotations }: JsonObject, place: Place): void {
  if (labels !== undefined) readLabels(labels, inside(place, 'labels'));
  if (annotations !== undefined) readAnnotations(annotations, inside(place, 'annotations'));
}

function checkSpec(spec: JsonObject, place: Place): void {
  const { restartPolicy = 'Never' } = spec;
  if (restartPolicy !== 'Never') report(inside(place, 'restartPolicy'), 'it has no effect, since hooklet sets Never');
  for (const [container, at] of containersOf(spec, place)) {
    if (!isObject(container)) reportType(at, container, { type: 'object', expected: 'a mapping' });
    else checkContainer(container, at);
  }
}

function checkContainer({ name, resources }: JsonObject, place: Place): void {
  if (name === undefined) report(inside(place, 'name'), NO_NAME);
  if (isObject(resources)) checkResources(resources, inside(place, 'resources'));
  else if (resources !== undefined) reportValue(inside(place, 'resources'), resources, 'a mapping');
}

/** Reports a command for the container with the hook: what is run is said in the fields of the Job. */
export function checkCommands(template: JsonObject | undefined, agent: JobRule['agent'], place: Place): void {
  const { spec } = template ?? {};
  if (!isObject(spec)) return;
  for (const [container, at] of containersOf(spec, inside(place, 'spec'))) {
    if (!isObject(container) || container['name'] !== JOB_CONTAINERS.hook) continue;
    for (const field of ['command', 'args'] as const) {
      if (container[field] !== undefined) report(inside(at, field), COMMANDS[agent]);
    }
  }
}

/** The containers of a Pod, each with its place; a list that is none has none. */
function containersOf(spec: JsonObject, place: Place): readonly (readonly [unknown, Place])[] {
  return ['initContainers', 'containers'].flatMap((field) => {
    const list: unknown = spec[field];
    if (!Array.isArray(list)) return [];
    return list.map((one: unknown, index) => [one, inside(inside(place, field), index)] as const);
  });
}
