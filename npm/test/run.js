// Runs the suite without a test runner. Returns a line for each failure, and the number of tests last.

import * as simdpct from 'simdpct';
import { tests } from './suite.js';

export async function report() {
    const lines = [];
    const all = tests(simdpct);
    for (const [name, run] of all) {
        try {
            await run();
        } catch (error) {
            lines.push(`FAILED ${name}: ${error.stack ?? error}`);
        }
    }
    lines.push(`${all.length - lines.length} of ${all.length} tests passed, ${simdpct.level}`);
    return lines.join('\n');
}
