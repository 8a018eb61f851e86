// Takes the picture of the page for the README: screenshot.mjs CHROMIUM PAGE OUTPUT, in a folder with puppeteer-core.

import { createRequire } from 'node:module';
import { argv, cwd } from 'node:process';
import { pathToFileURL } from 'node:url';

/** At this width the examples are in one line. */
const WIDTH = 1080;

const [chromium, page, output] = argv.slice(2);
const { default: puppeteer } = await import(pathToFileURL(createRequire(`${cwd()}/`).resolve('puppeteer-core')));
const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
const tab = await browser.newPage();
await tab.setViewport({ width: WIDTH, height: 1000, deviceScaleFactor: 1.4 });
await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
await tab.goto(`${pathToFileURL(page)}#${encodeURIComponent('/a/%2e%2e%2fx')}`);
await tab.waitForFunction(() => document.getElementById('summary').textContent !== 'Loading');
// To the end of the policies.
const { bottom } = await tab.evaluate(() => document.getElementById('policies').closest('section').getBoundingClientRect().toJSON());
await tab.screenshot({ path: output, clip: { x: 0, y: 0, width: WIDTH, height: Math.ceil(bottom) + 12 } });
await browser.close();
