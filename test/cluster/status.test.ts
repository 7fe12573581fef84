import { statusLoopSuite } from '../support/status-loop-suite.ts';
import { statusSuite } from '../support/status-suite.ts';
import { connectAs } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();

statusSuite(connectAs(plane, 'admin'));
statusLoopSuite(connectAs(plane, 'admin'));
