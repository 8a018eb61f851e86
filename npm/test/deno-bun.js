// Runs the suite in Deno or Bun.

import process from 'node:process';
import { report } from './run.js';

const found = await report();
console.log(found);
process.exit(found.includes('FAILED') ? 1 : 0);
