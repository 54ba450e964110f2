// Tests the pages in Firefox, which differs from Chromium in its WebAssembly, its style sheets and its editor: the
// front page, a lesson's bench, the explorer and the playground work, without errors.
//
//     node firefox.cjs HTML FIREFOX
//
// Playwright drives an unmodified Firefox through WebDriver BiDi. Of its functions, only some work this way: it can
// neither emulate a theme nor take screenshots.
"use strict";
const assert = require("node:assert/strict");
const { _bidiFirefox: firefox } = require("playwright-core");
const { serve } = require("./site.cjs");

const [html, browserPath] = process.argv.slice(2);
/** A timeout in milliseconds that is long enough to load the compiler on a busy machine. */
const SOON = { timeout: 240000 };

const tests = [];
const test = (name, run) => tests.push({ name, run });
const outcome = (page, wanted) => page.waitForSelector(`.bench[data-outcome=${wanted}][aria-busy=false]`, SOON);
const editor = (page) => page.locator(".editor .cm-content").first();

test("the picture on the front page moves, and its first button opens a lesson", async (page, address) => {
    await page.goto(`${address}index.html`);
    await page.waitForSelector(".bank-toy .delivered", SOON);
    await page.locator(".ways .first").click();
    await page.waitForSelector(".your-turn[data-ready]", SOON);
    assert.match(await page.locator("h1").textContent(), /^01 /);
});

test("in a lesson, a race is marked at both lines, and the solution passes", async (page, address) => {
    await page.goto(`${address}lesson_03_tiled.html`);
    await page.waitForSelector(".your-turn[data-ready]", SOON);
    const solution = await page.evaluate(() => window.exerciseData.exercises.find(({ name }) => name === "03_tiled").exercise.solution);
    await editor(page).fill(solution.replace("__syncthreads();", ""));
    await outcome(page, "failed");
    assert.ok((await page.locator(".cm-line.line-cause, .cm-line.line-related").count()) >= 2);
    await editor(page).fill(solution);
    await outcome(page, "passed");
    assert.match(await page.locator(".bench .standing").textContent(), /^Passed/);
});

test("the explorer draws an access", async (page, address) => {
    await page.goto(`${address}explorer.html`);
    await page.waitForSelector("body[data-ready]", SOON);
    await page.waitForSelector(".panel .picture svg", SOON);
});

test("a mistake in the playground is found", async (page, address) => {
    await page.goto(`${address}playground.html`);
    await page.waitForSelector("body[data-ready]", SOON);
    await page.locator("button", { hasText: "Swapped indices" }).click();
    await outcome(page, "failed");
});

async function main() {
    const { address } = await serve(html);
    const browser = await firefox.launch({ executablePath: browserPath });
    const page = await (await browser.newContext()).newPage();
    const faults = [];
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(String(error)));
    let failed = 0;
    for (const { name, run } of tests) {
        const begin = performance.now();
        try {
            await run(page, address);
            assert.deepEqual(faults.splice(0), []);
            console.log(`right  ${name}, ${((performance.now() - begin) / 1000).toFixed(1)} s`);
        } catch (error) {
            failed++;
            console.log(`WRONG  ${name}\n${error.stack ?? error}`);
        }
    }
    await browser.close();
    console.log(`${tests.length - failed} of ${tests.length} tests passed in Firefox ${browser.version()}`);
    process.exit(failed ? 1 : 0);
}
main();
