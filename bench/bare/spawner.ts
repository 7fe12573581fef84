import { spawn } from 'node:child_process';

// Spawns the hook for each message; a small process does so faster than a large one.
const { BARE_HOOK: hook = '' } = process.env;
process.on('message', () => {
  spawn(hook, ['run'], { stdio: 'ignore' });
});
process.on('disconnect', () => process.exit());
