// Guards a worker: hostile requests are answered with 400, and the handler gets the others with their canonical path.

import { RequestGuard } from 'simdpct';

const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/;

/**
 * A worker. `guard` is the text of a guard. `handle(request, path, env, context)` gets a request whose URL and path, both
 * undecoded, are canonical.
 */
export function guarded(guard, handle) {
    const requests = new RequestGuard(guard);
    return {
        fetch(request, env, context) {
            const { action, target, refusal } = requests.check(request.method, request.url);
            if (refusal !== null) {
                console.warn(`simdpct: ${refusal}${action === 'refuse' ? '' : ', report only'}`);
            }
            if (action === 'refuse') {
                return new Response('refused\n', { status: 400 });
            }
            const canonical = action === 'rewrite' ? new Request(target, request) : request;
            return handle(canonical, pathOf(target), env, context);
        },
    };
}

function pathOf(url) {
    return url.replace(ORIGIN, '').split('?', 1)[0];
}
