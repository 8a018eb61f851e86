// Guards a worker: hostile requests are answered with 400, and the handler gets the others with their canonical path.

import { RequestGuard } from 'simdpct';

const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/;

/**
 * A worker. `guard` is the text of a guard. `handle(request, path, env, context)` gets a request with its canonical path,
 * which is also `path`, undecoded.
 */
export function guarded(guard, handle) {
    if (/\bdot-segments=keep\b/.test(guard)) {
        throw new TypeError('dot-segments=keep: workerd resolves dot segments when it forwards a request');
    }
    const requests = new RequestGuard(guard);
    return {
        fetch(request, env, context) {
            const { method, url } = request;
            // Without a path, the target is `*`.
            const { action, target, refusal } = pathOf(url) === '' ? NO_PATH : requests.check(method, url);
            if (action === 'refuse') {
                return refused(refusal);
            }
            if (action === 'pass') {
                if (refusal !== null) {
                    console.warn(`simdpct: ${refusal}, report only`);
                }
                return handle(request, pathOf(url), env, context);
            }
            const canonical = new Request(target, request);
            const path = pathOf(target);
            // Not so if the policy keeps bytes that the URL Standard changes, as a backslash.
            return pathOf(canonical.url) === path ? handle(canonical, path, env, context) : refused(NOT_STANDARD);
        },
    };
}

function refused(line) {
    console.warn(`simdpct: ${line}`);
    return new Response('refused\n', { status: 400 });
}

const NO_PATH = { action: 'refuse', target: null, refusal: 'refused: the target has no path' };
const NOT_STANDARD = 'refused: the URL Standard reads the canonical path as another one';

function pathOf(url) {
    return url.replace(ORIGIN, '').split('?', 1)[0];
}
