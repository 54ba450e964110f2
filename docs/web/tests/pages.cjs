// What the tests in a browser share: a list of tests, pages that fail a test for an error, a server of the built book.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { chromium } = require("playwright-core");

const tests = [];
const test = (name, run) => tests.push({ name, run });

/** `use(page)`: it fails for an error in its console and for a request to any other host. `name` may have a fragment. */
async function withPage(browser, site, name, use, { init, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    if (init) await context.addInitScript(init);
    const page = await context.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(`error: ${error}`));
    page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
    page.on("request", (request) => {
        const isOwn = /^(file|data|blob):/.test(request.url()) || request.url().startsWith(site);
        if (!isOwn) faults.push(`request to ${request.url()}`);
    });
    await page.goto(site + name);
    if (/^(explorer|playground)/.test(name)) await page.waitForSelector("body[data-ready]", { timeout: 20000 });
    await use(page);
    assert.deepEqual(faults, [], name);
    await context.close();
}

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
    ".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json" };

/** Serves a folder on the loopback address; gives its address, which ends with a slash. */
function serve(folder) {
    const server = http.createServer((request, response) => {
        const file = path.join(folder, path.normalize(decodeURIComponent(new URL(request.url, "http://site").pathname)));
        const type = TYPES[path.extname(file)] ?? "application/octet-stream";
        if (!fs.existsSync(file) || fs.statSync(file).isDirectory()) return response.writeHead(404).end();
        response.writeHead(200, { "content-type": type });
        fs.createReadStream(file).pipe(response);
    });
    server.unref();
    return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}/`)));
}

/** Runs those whose names have `only` in them, and ends the program. */
async function runTests(browserPath, only) {
    const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
    let failed = 0;
    const chosen = tests.filter(({ name }) => name.includes(only));
    for (const { name, run } of chosen) {
        try {
            await run(browser);
            console.log(`right  ${name}`);
        } catch (error) {
            failed++;
            console.log(`WRONG  ${name}\n${error.stack ?? error}`);
        }
    }
    await browser.close();
    console.log(`${chosen.length - failed} of ${chosen.length} tests passed`);
    process.exit(failed || !chosen.length ? 1 : 0);
}

/** What axe finds on the page, in words. */
async function accessibilityFaults(page) {
    await page.addScriptTag({ path: require.resolve("axe-core/axe.min.js") });
    const { violations } = await page.evaluate(() => window.axe.run());
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

module.exports = { accessibilityFaults, runTests, serve, test, withPage };
