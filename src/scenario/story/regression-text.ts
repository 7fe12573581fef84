/*
 * A finding as a scenario file: its story with the one disturbance, and without the steps after it. What is expected and
 * the comments stay.
 */

import { type Document, isMap, isSeq, parseAllDocuments } from 'yaml';
import { shownText } from '../../lib/shown.ts';
import { parsePlan } from '../perturb/plan.ts';
import type { PerturbFinding } from '../perturb/report.ts';
import type { Scenario } from '../scenario.ts';

const MAX_NAME = 200;
const MAX_LINES = 5;

/** The text of a file that plays the finding; `text` is that of the file of the story, which has no problem. */
export function regressionText(text: string, scenario: Scenario, finding: PerturbFinding): string {
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const document = Array.isArray(documents) ? documents[scenario.document ?? 0] : undefined;
  if (document === undefined || !isMap(document.contents)) throw new Error('the story is not there any more');
  const { plan, disturbance } = finding;
  document.delete('name');
  document.contents.items.unshift(document.createPair('name', nameOf(scenario, disturbance)));
  // At the end, where one looks for what is special about it.
  document.delete('perturb');
  document.set('perturb', document.createNode({ plan }, { flow: true }));
  cutSteps(document, scenario, parsePlan(plan).actions);
  const differences = finding.differences.slice(0, MAX_LINES).map((line) => `#   ${oneLine(line)}`);
  const head = ['# Found by hooklet test: it fails until the hook is mended.', `# ${oneLine(disturbance)}:`];
  const body = document.toString({ lineWidth: 0, directives: false });
  return `${[...head, ...differences].join('\n')}\n\n${body}`;
}

/** Leaves out the steps after the last action that is played. */
function cutSteps(document: Document.Parsed, { steps }: Scenario, actions: number | undefined): void {
  const list = document.get('steps');
  if (actions === undefined || !isSeq(list)) return;
  let before = 0;
  const kept = steps.findIndex((step) => (before += step.actions.length) >= actions);
  if (kept >= 0) list.items.splice(kept + 1);
}

function nameOf({ name }: Scenario, disturbance: string): string {
  return shownText(oneLine(`${name}: ${disturbance}`), MAX_NAME - 1);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' | ');
}
