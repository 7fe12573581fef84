#!/usr/bin/env node
// Executed directly, with the package that is in the image.
import { defineHook, onStartup } from 'hooklet';

export default defineHook({
  bindings: { start: onStartup(1) },
  run({ contexts, metric, log }) {
    metric.set('executable_ran', contexts.length);
    log.info('executable hook', { pid: process.pid });
  },
});
