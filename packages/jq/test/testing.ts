// What tests elsewhere in the repository use of this package's tests: the programs on record, and both engines to run
// them. It is not published.
export { GOLDEN_CASES, type GoldenCase } from './golden-cases.ts';
export { GOLDEN_EXCEPTIONS } from './golden-exceptions.ts';
export { POD } from './golden-objects.ts';
export { runOurJq, SILENT_HOST } from './our-jq.ts';
export { runRealJq } from './real-jq.ts';
