// Takes the picture of the page for the README: screenshot.mjs CHROMIUM PAGE OUTPUT, in a folder with puppeteer-core.

import { createRequire } from 'node:module';
import { argv, cwd } from 'node:process';
import { pathToFileURL } from 'node:url';

const [chromium, page, output] = argv.slice(2);
const { default: puppeteer } = await import(pathToFileURL(createRequire(`${cwd()}/`).resolve('puppeteer-core')));
const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
const tab = await browser.newPage();
await tab.setViewport({ width: 1000, height: 1000, deviceScaleFactor: 1.5 });
await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
await tab.goto(`${pathToFileURL(page)}#${encodeURIComponent('/a/%2e%2e%2fx')}`);
await tab.waitForFunction(() => document.getElementById('summary').textContent !== 'Loading');
// To the end of the policies.
const { bottom } = await tab.evaluate(() => document.getElementById('policies').closest('section').getBoundingClientRect().toJSON());
await tab.screenshot({ path: output, clip: { x: 0, y: 0, width: 1000, height: Math.ceil(bottom) + 12 } });
await browser.close();
