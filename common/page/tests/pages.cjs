// Helpers for browser tests: a list of tests, and pages on which any error makes a test fail.
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

/** A timeout in milliseconds that is long enough to load the compiler on a busy machine. */
const SOON = { timeout: 240000 };
const tests = [];
const test = (name, run) => tests.push({ name, run });
/** Whether to run all tests, as before a release. A wholeTest repeats what other tests cover, and runs only then. */
const isWhole = process.env.COALESCE_WHOLE_TESTS === "1";
const wholeTest = (name, run) => isWhole && test(name, run);

/** Returns every `step`-th element, starting with the first, or all elements with COALESCE_WHOLE_TESTS=1. */
const sampled = (all, step) => all.filter((_, i) => isWhole || i % step === 0);

/** Opens a page and calls `use(page)`. Fails for console errors and for requests to other hosts. */
const withPage = (browser, site, name, use, options) => withPages(browser, site, [name], use, options);

/** Bypasses the content security policy, which forbids the tests' own scripts. bench.cjs tests the policy itself. */
const DESK = { viewport: { width: 1440, height: 900 }, bypassCSP: true };
const knownPages = new Map();

/**
 * Returns the page of a reader who has visited the site before: loaded files are cached, but stored data is gone. All
 * tests share this page, because the browser compiles a page's modules again for each new page.
 */
async function knownPage(browser, site) {
    if (!knownPages.has(site)) knownPages.set(site, await (await browser.newContext(DESK)).newPage());
    const page = knownPages.get(site);
    page.removeAllListeners();
    if (page.url().startsWith(site)) {
        await page.evaluate(() => {
            localStorage.clear();
            Storage.prototype.setItem = () => {}; // otherwise the page would store data when it is left
            history.replaceState(null, "", "?left"); // without this, a new fragment alone would not reload the page
        });
    }
    return page;
}

/** Returns the page of a new reader, whose browser has cached nothing. `init` runs before the page's scripts. */
async function newReader(browser, init) {
    const context = await browser.newContext(DESK);
    await context.addInitScript(init);
    return context.newPage();
}

/** Returns a list to which errors in the console and requests to other hosts are added from now on. */
function faultsOf(page, site) {
    const faults = [];
    page.on("pageerror", (error) => faults.push(`error: ${error}`));
    page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
    page.on("request", (request) => {
        const isOwnExercise = /^(file|data|blob):/.test(request.url()) || request.url().startsWith(site);
        if (!isOwnExercise) faults.push(`request to ${request.url()}`);
    });
    return faults;
}

/** Opens pages one after the other as one reader, and calls `use(page, name)`. With `init`, this is a new reader. */
async function withPages(browser, site, names, use, { init, viewport = DESK.viewport, ...media } = {}) {
    const page = await (init ? newReader(browser, init) : knownPage(browser, site));
    let isGood = false;
    try {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference", ...media });
        const faults = faultsOf(page, site);
        for (const name of names) {
            await page.goto(site + name);
            if (/^(explorer|playground)/.test(name)) await page.waitForSelector("body[data-ready]", SOON);
            await use(page, name);
            assert.deepEqual(faults, [], name);
        }
        isGood = true;
    } finally {
        // After a failure, the next test must open a new page.
        if (!isGood) knownPages.delete(site);
        if (!isGood || init) await page.context().close();
    }
}

/** Runs the tests whose names contain `only`, and ends the program. */
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

/** Returns the accessibility faults that axe finds on the page, in words. */
async function accessibilityFaults(page) {
    await page.addScriptTag({ path: require.resolve("axe-core/axe.min.js") });
    const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

/**
 * Takes a screenshot of the page, named `file`, for each width and color scheme. axe must find no fault, and nothing may
 * be wider than the screen.
 */
async function checkLooks(page, looks, file) {
    for (const [width, colorScheme] of looks) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.screenshot({ path: `${file}-${width}-${colorScheme}.png`, fullPage: true });
        assert.deepEqual(await accessibilityFaults(page), [], `${width}, ${colorScheme}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${wide} wide on a screen of ${width}`);
    }
}

module.exports = { SOON, accessibilityFaults, checkLooks, runTests, sampled, test, wholeTest, withPage, withPages };
