// Runs a WASI program under Node, as a runner of cargo: wasi.mjs PROGRAM ARGUMENT...
// The program sees its working directory (under cargo, the package's folder), and the environment.

import { readFile } from 'node:fs/promises';
import { argv, cwd, env, exit } from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: argv.slice(2), env, preopens: { '/': '/', [cwd()]: cwd(), '.': cwd() } });
const module = await WebAssembly.compile(await readFile(argv[2]));
const imports = wasi.getImportObject();
// Debian's wasi-libc has no threads, but the standard library refers to some of their functions.
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] ??= () => {
        throw new Error(`${from}.${name} is missing`);
    };
}
exit(wasi.start(await WebAssembly.instantiate(module, imports)));
