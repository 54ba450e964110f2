// What the tests in a browser share: a list of tests, and pages that fail a test for an error.
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

const tests = [];
const test = (name, run) => tests.push({ name, run });
/** One whose parts others go through, too: before a release. */
const isWhole = process.env.COALESCE_WHOLE_TESTS === "1";
const wholeTest = (name, run) => isWhole && test(name, run);

/**
 * Of many that are made in the same way: each `step`-th from the first on; all of them with COALESCE_WHOLE_TESTS=1, as
 * before a release.
 */
const sampled = (all, step) => all.filter((_, i) => isWhole || i % step === 0);

/** `use(page)`: it fails for an error in its console and for a request to any other host. `name` may have a fragment. */
const withPage = (browser, site, name, use, options) => withPages(browser, site, [name], use, options);

const DESK = { width: 1440, height: 900 };
const knownPages = new Map();

/**
 * The page of somebody who has been at the site before: what it has loaded is there, what was written is gone. It is one
 * for all tests, since the browser compiles a page's modules again for each new one.
 */
async function knownPage(browser, site) {
    if (!knownPages.has(site)) knownPages.set(site, await (await browser.newContext({ viewport: DESK })).newPage());
    const page = knownPages.get(site);
    page.removeAllListeners();
    if (page.url().startsWith(site)) {
        await page.evaluate(() => {
            localStorage.clear();
            Storage.prototype.setItem = () => {}; // what the page would still keep when it is left
            history.replaceState(null, "", "?left"); // an address that differs by more than its fragment is loaded
        });
    }
    return page;
}

/** A page of a new reader, whose browser has nothing of the site; `init` runs in it before what a page brings. */
async function newReader(browser, init) {
    const context = await browser.newContext({ viewport: DESK });
    await context.addInitScript(init);
    return context.newPage();
}

/** What goes wrong in the page from now on: errors in its console, and requests to any other host. */
function faultsOf(page, site) {
    const faults = [];
    page.on("pageerror", (error) => faults.push(`error: ${error}`));
    page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
    page.on("request", (request) => {
        const isOwn = /^(file|data|blob):/.test(request.url()) || request.url().startsWith(site);
        if (!isOwn) faults.push(`request to ${request.url()}`);
    });
    return faults;
}

/** The same for pages that one reader opens one after the other: `use(page, name)`. With `init`: a new reader. */
async function withPages(browser, site, names, use, { init, viewport = DESK, ...media } = {}) {
    const page = await (init ? newReader(browser, init) : knownPage(browser, site));
    let isGood = false;
    try {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference", ...media });
        const faults = faultsOf(page, site);
        for (const name of names) {
            await page.goto(site + name);
            if (/^(explorer|playground)/.test(name)) await page.waitForSelector("body[data-ready]", { timeout: 20000 });
            await use(page, name);
            assert.deepEqual(faults, [], name);
        }
        isGood = true;
    } finally {
        // After a failure, the next test has a new page.
        if (!isGood) knownPages.delete(site);
        if (!isGood || init) await page.context().close();
    }
}

/** Runs those whose names have `only` in them, and ends the program. */
async function runTests(browserPath, only) {
    const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
    let failed = 0;
    const chosen = tests.filter(({ name }) => name.includes(only));
    for (const { name, run } of chosen) {
        const begin = performance.now();
        try {
            await run(browser);
            console.log(`right  ${name}, ${((performance.now() - begin) / 1000).toFixed(1)} s`);
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
    const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

module.exports = { accessibilityFaults, runTests, sampled, test, wholeTest, withPage, withPages };
