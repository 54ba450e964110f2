// What the tests in a browser share: a list of tests, and pages that fail a test for an error.
"use strict";
const assert = require("node:assert/strict");
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

module.exports = { accessibilityFaults, runTests, test, withPage };
