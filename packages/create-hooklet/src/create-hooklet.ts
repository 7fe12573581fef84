#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Runs `hooklet init` of the package hooklet, whose program is beside what it exports.
const main = fileURLToPath(new URL('./main.js', import.meta.resolve('hooklet')));
const { status, error } = spawnSync(process.execPath, [main, 'init', ...process.argv.slice(2)], { stdio: 'inherit' });
if (error !== undefined) process.stderr.write(`create-hooklet: ${error.message}\n`);
process.exitCode = status ?? 1;
