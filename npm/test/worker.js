// Runs the suite in workerd, and answers each request with its result.

import { report } from './run.js';

export default {
    fetch: async () => new Response(await report()),
};
