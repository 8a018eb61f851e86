// Runs the suite in workerd: each request is answered with its result.

import { report } from './run.js';

export default {
    fetch: async () => new Response(await report()),
};
