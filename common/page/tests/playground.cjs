// Tests the playground in a headless browser, and compares the page's verdicts with those of the native program.
//
//     node playground.cjs HTML CHROMIUM SCREENSHOTS VERDICTS [PART OF A TEST'S NAME]
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { serve } = require("./site.cjs");
const { accessibilityFaults, runTests, sampled, test, withPage } = require("./pages.cjs");

const [html, browserPath, screenshots, verdicts, only = ""] = process.argv.slice(2);
const SOON = { timeout: 60000 };
const site = serve(html).then(({ address }) => address);

async function withPlayground(browser, use, { hash = "", ...options } = {}) {
    await withPage(browser, await site, `playground.html${hash}`, use, options);
}

const side = (page, number) => page.locator(`.side:nth-child(${number})`);
const textOf = (part) => part.locator(".editor .cm-line").allTextContents();
const outcome = (page, number, wanted) => page.waitForSelector(`.side:nth-child(${number}) .bench[data-outcome=${wanted}][aria-busy=false]`, SOON);

test("a link restores the texts of two kernels", async (browser) => {
    let hash = "", texts = [];
    await withPlayground(browser, async (page) => {
        await page.locator("#compare").click();
        await side(page, 2).locator(".cm-content").fill("// mine: ünïcode, % & + = #\n__global__ void transpose() {}\n");
        await page.waitForFunction(() => location.hash.includes("&b="));
        await page.waitForTimeout(500);
        hash = await page.evaluate(() => location.hash);
        texts = [await textOf(side(page, 1)), await textOf(side(page, 2))];
    });
    await withPlayground(browser, async (page) => {
        assert.equal(await page.locator(".side").count(), 2);
        assert.deepEqual([await textOf(side(page, 1)), await textOf(side(page, 2))], texts);
        assert.match(texts[1][0], /mine: ünïcode, % & \+ = #/);
        assert.equal(await side(page, 2).locator("select[name=task]").inputValue(), "04_padded");
    }, { hash });
    await withPlayground(browser, async (page) => {
        assert.match(await page.locator("#problem").textContent(), /incomplete/);
        assert.ok((await textOf(side(page, 1))).length > 5, "a kernel is shown anyway");
    }, { hash: "#a=03_tiled,dAAAA" });
});

test("the verdict explains a missing barrier, missing padding, and swapped indices", async (browser) => {
    await withPlayground(browser, async (page) => {
        await page.locator("select[name=start]").selectOption({ label: "04 padded" });
        await outcome(page, 1, "passed");
        for (const [name, words] of [["barrier", /barrier/], ["padding", /bank/], ["swapped", /./]]) {
            await page.locator("select[name=start]").selectOption({ label: "04 padded" });
            await outcome(page, 1, "passed");
            await page.locator(`button[name=${name}]`).click();
            assert.ok(await page.locator(`button[name=${name}]`).isDisabled() || name === "swapped", "the same mistake cannot be made twice");
            await outcome(page, 1, "failed");
            assert.match(await page.locator(".outcome").textContent(), words, name);
        }
    });
});

test("a launch that does not end is stopped, but many short launches are not", async (browser) => {
    await withPlayground(browser, async (page) => {
        const examined = (exercise, from, to) => page.evaluate(async ([part, one, other]) => {
            const { name, exercise: work } = window.exerciseData.exercises.find((each) => each.name.endsWith(part));
            const source = work.solution.replace(one, other);
            if (source === work.solution) throw new Error(`${name} has no ${one}`);
            const begin = performance.now();
            const { failure, message, after } = await window.examineKernel({ exercise: name, hunt: false }, source).catch((error) => error);
            return { failure, message, after, took: performance.now() - begin };
        }, [exercise, from, to]);
        // Test twice: first in a new page, and then in a new worker of the same page.
        for (const when of ["at first", "again"]) {
            const endless = await examined("_tiled", "__syncthreads();", "__syncthreads();\n    if (rows >= 128) for (;;) atomicAdd(out + 97 * threadIdx.x, 1.0f);");
            assert.match(endless.message ?? endless.failure, /far more work than the task needs, and was stopped after \d+ seconds/);
            console.log(`    ${when}: stopped ${Math.round(endless.after)} ms after its launch, ${Math.round(endless.took)} ms after it was asked for`);
            // The limit is two seconds, or more if the page has measured that this machine is slow. It may also take
            // time to end the worker.
            const [limit] = /\d+/.exec(endless.message);
            assert.ok(endless.after < 1000 * limit + 15000, `${endless.after} ms`);
        }
        // Finding the blocks that store nothing takes hundreds of launches with this kernel, one per block.
        const long = await examined("_many_gpus", "(blockIdx.x + gpu) % GPUS", "blockIdx.x % GPUS + gpu");
        assert.equal(long.failure, "never-written", long.message);
        console.log(`    one that ends took ${Math.round(long.took)} ms`);
    });
});

test("every skeleton, solution, mutant and bug hunt gets the same verdict in the page as from the command", async (browser) => {
    const { differences, nativeCases } = await import("./differences.mjs");
    const took = [], wrong = [];
    await withPlayground(browser, async (page) => {
        const names = await page.evaluate(() => window.exerciseData.exercises.map(({ name }) => name));
        // The test docs.examiner covers the other kernels without a browser.
        const chosen = sampled(names, 6);
        const kernels = chosen.flatMap((name) => nativeCases(verdicts, name));
        assert.ok(names.length >= 16 && kernels.length >= 8 * chosen.length, `only ${kernels.length} kernels`);
        // Different versions of clang generate different instructions.
        const here = kernels[0].verdict.compiler;
        if (!here.startsWith("clang 22.")) return console.log(`    skipped: the page has clang 22, and here is ${here}`);
        for (const kernel of kernels) {
            const { verdict, milliseconds } = await page.evaluate(async ({ exercise, hunt, source }) => {
                const begin = performance.now();
                const { verdict } = await window.examineKernel({ exercise, hunt }, source).catch((error) => ({ verdict: String(error) }));
                return { verdict, milliseconds: performance.now() - begin };
            }, kernel);
            const found = differences(kernel.verdict, verdict);
            if (found.length) wrong.push(`${kernel.exercise}, ${kernel.name}: ${found.slice(0, 3).join("; ").slice(0, 300)}`);
            took.push({ step: kernel.exercise, milliseconds });
        }
    });
    assert.deepEqual(wrong, []);
    if (!took.length) return;
    for (const [words, isMeant] of [["01 to 09", (step) => step < "10"], ["10 and later", (step) => step >= "10"]]) {
        const times = took.filter(({ step }) => isMeant(step)).map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
        console.log(`    ${words}: median ${Math.round(times[times.length >> 1])} ms from the text to the verdict`);
    }
});

test("every variant of the course is offered as a start, or has a reason why not, and every start compiles", async (browser) => {
    await withPlayground(browser, async (page) => {
        const missing = await page.evaluate(() => {
            const offered = [...document.querySelectorAll("select[name=start] option")].map(({ textContent }) => textContent);
            return window.courseData.steps.flatMap(({ name, variants }) =>
                variants.filter((variant) => !offered.some((words) => words.split(":")[0] === `${name.slice(0, 2)} ${variant.name}`)).map((variant) => `${name}, ${variant.name}`));
        });
        assert.deepEqual(missing, []);
        const without = await page.evaluate(() => {
            const offered = [...document.querySelectorAll("select[name=start] option:not([disabled])")].map(({ textContent }) => textContent);
            return window.courseData.steps.filter(({ name, variants }) => !variants.some((variant) => offered.includes(`${name.slice(0, 2)} ${variant.name}`))).map(({ name }) => name);
        });
        // A page can launch only kernels with one input, but lesson 18 multiplies two matrices.
        assert.deepEqual(without, ["18_product"], "each other lesson offers a variant of its program");
        const reasons = await page.$$eval("select[name=start] option[disabled]", (all) => all.map((option) => option.textContent));
        for (const reason of reasons) assert.match(reason, /^\d\d \S+: .{10,80}$/);
        // If no rule is found for a variant's launches, too few shapes were tried. Persistent blocks need large shapes.
        assert.ok(!reasons.some((reason) => /not a simple function/.test(reason)), reasons.join("; "));
        const labels = await page.$$eval("select[name=start] option:not([value='']):not([disabled])", (all) => all.map((option) => option.textContent));
        console.log(`    ${labels.length} to begin with, ${reasons.length} that are said to be none`);
        assert.ok(labels.length >= 110 && reasons.length > 0, `${labels.length}, ${reasons.length}`);
        for (const label of sampled(labels, 8)) {
            await page.locator("select[name=start]").selectOption({ label });
            await page.waitForSelector(".bench[data-outcome][aria-busy=false]", SOON);
            assert.equal(await page.locator(".note.error").count(), 0, label);
            if (/solution|fixed/.test(label)) assert.equal(await page.locator(".bench").getAttribute("data-outcome"), "passed", label);
            // A variant may cost more than the exercise allows. One variant is correct only for whole tiles.
            if (/(exercise|bug hunt|unchecked)$/.test(label)) continue;
            const wrong = await page.locator(".outcome h2").allTextContents();
            assert.ok(!wrong.some((words) => /out\(|written|bounds|race|barrier|launch/.test(words)), `${label}: ${wrong}`);
        }
    });
});

test("axe finds no fault, and the page fits the screen, in both themes, on large and small screens", async (browser) => {
    fs.mkdirSync(screenshots, { recursive: true });
    await withPlayground(browser, async (page) => {
        await page.locator("#compare").click();
        for (const number of [1, 2]) {
            await side(page, number).locator("button[name=run]").click();
            await outcome(page, number, "passed");
        }
        for (const [width, colorScheme] of sampled([[1440, "light"], [1440, "dark"], [1024, "dark"], [390, "dark"], [390, "light"]], 3)) {
            await page.setViewportSize({ width, height: 900 });
            await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
            await page.screenshot({ path: path.join(screenshots, `playground-${width}-${colorScheme}.png`), fullPage: true });
            assert.deepEqual(await accessibilityFaults(page), [], `${width}, ${colorScheme}`);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= width, `${wide} wide on a screen of ${width}`);
        }
    });
});

runTests(browserPath, only);
