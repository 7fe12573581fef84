import { operationsSuite } from '../support/operations-suite.ts';
import { connectAs } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

operationsSuite(connectAs(plane, 'admin'));
