// Tests "Watch" in a headless browser: the steps of kernels, stops, links to a moment, and the moments of verdicts,
// lessons and the glossary.
//
//     node watch.cjs HTML CHROMIUM SCREENSHOTS [PART OF A TEST'S NAME]
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { serve } = require("./site.cjs");
const { SOON, checkLooks, runTests, sampled, test, withPage } = require("./pages.cjs");

const [html, browserPath, screenshots, only = ""] = process.argv.slice(2);
const PHONE = { width: 390, height: 800 };
const site = serve(html).then(({ address }) => address);

async function withBook(browser, name, use, options = {}) {
    await withPage(browser, await site, name, use, options);
}

const watch = (page) => page.locator(".watch");
const button = (page, name) => watch(page).locator(`button[name=${name}]`);
const shown = (page) => page.waitForSelector(".watch[data-step][aria-busy=false]", SOON);
const stepOf = async (page) => Number(await watch(page).getAttribute("data-step"));
/** Returns everything that the step shows, except for addresses, which differ between launches. */
const screen = (page) => watch(page).locator(".stage, .grids, output").evaluateAll((parts) => parts.map((part) => part.innerHTML.replace(/0x[0-9a-f]+/g, "")));
const lineOf = (page) => watch(page).locator(".source mark").innerText();
const events = (page) => watch(page).locator(".events").innerText();

/** Returns the values of a variable by lane. */
const valuesOf = (page, name) =>
    watch(page).locator(".variables tbody tr").evaluateAll((rows, wanted) => {
        const row = rows.find(({ cells }) => cells[0].textContent === wanted);
        return row ? [...row.cells].slice(1).map(({ textContent }) => textContent) : null;
    }, name);

async function setStops(page, text) {
    await watch(page).locator("input[name=stops]").fill(text);
    await watch(page).locator("input[name=stops]").dispatchEvent("change");
}

/** Opens a kernel in the playground, and watches it. */
async function watched(page, label) {
    await page.locator("select[name=start]").selectOption({ label });
    await page.locator("button[name=watch]").click();
    await shown(page);
}

test("steps forward and back show the same, and the lanes have the values of the kernel", async (browser) => {
    await withBook(browser, "playground.html", async (page) => {
        await watched(page, "03 solution");
        assert.equal(await stepOf(page), 0);
        const screens = [];
        for (let i = 0; i < 12; i++) {
            screens.push(await screen(page));
            await button(page, "forward").click();
        }
        for (let i = 11; i >= 0; i--) {
            await button(page, "back").click();
            assert.deepEqual(await screen(page), screens[i], `step ${i + 1}`);
        }
        await button(page, "next-barrier").click();
        assert.match(await events(page), /32 of 1024 threads have arrived/);
        assert.deepEqual(await valuesOf(page, "col"), Array.from({ length: 32 }, (_, lane) => String(lane)));
        assert.deepEqual(await valuesOf(page, "row"), Array(32).fill("0"));
        await watch(page).locator("input[name=block]").fill("1");
        await watch(page).locator("input[name=block]").dispatchEvent("change");
        await page.waitForFunction(() => /block \(1, 0, 0\)/.test(document.querySelector(".watch .about").textContent), null, SOON);
        await button(page, "next-barrier").click();
        assert.deepEqual((await valuesOf(page, "col")).slice(0, 2), ["32", "33"]);
    });
});

test("stops are lines and conditions, by click, by text and by key", async (browser) => {
    await withBook(browser, "playground.html", async (page) => {
        await watched(page, "03 solution");
        await setStops(page, "arrived > 0");
        await button(page, "next-stop").click();
        assert.match(await lineOf(page), /__syncthreads/);
        await setStops(page, "row == 5 && lane == 3");
        await button(page, "next-stop").click();
        assert.equal((await valuesOf(page, "row"))[3], "5");
        assert.match(await watch(page).locator("output").textContent(), /warp 5/);
        // The number of a line is a button.
        const number = watch(page).locator(".source mark button");
        const line = await number.getAttribute("data-line");
        await number.click();
        assert.equal(await watch(page).locator("input[name=stops]").inputValue(), `row == 5 && lane == 3; ${line}`);
        assert.equal(await watch(page).locator(`button[data-line="${line}"]`).getAttribute("aria-pressed"), "true");
        await watch(page).locator(`button[data-line="${line}"]`).click();
        assert.equal(await watch(page).locator("input[name=stops]").inputValue(), "row == 5 && lane == 3");
        await setStops(page, "wavefronts > 1");
        await watch(page).locator(".stage").focus();
        await page.keyboard.press("n");
        assert.match(await events(page), /load from tile: lanes 0-31, 32 wavefronts, where 1 would be enough/);
        const at = await stepOf(page);
        await page.keyboard.press("n");
        assert.ok((await stepOf(page)) > at);
        await page.keyboard.press("p");
        assert.equal(await stepOf(page), at);
        await page.keyboard.press("Home");
        assert.equal(await stepOf(page), 0);
        const told = () => watch(page).locator(".stops-told").textContent();
        await setStops(page, "height == 5");
        assert.match(await told(), /no variable height/);
        await setStops(page, "row = 5");
        assert.match(await told(), /such as row == 5, in place of row = 5/);
        await setStops(page, "row == 77777");
        assert.match(await told(), /No step/);
    });
});

test("a link opens the same kernel at the same moment", async (browser) => {
    let hash = "", expected = [];
    await withBook(browser, "playground.html", async (page) => {
        await watched(page, "03 solution");
        await setStops(page, "wavefronts > 1");
        await watch(page).locator("input[name=block]").fill("2");
        await watch(page).locator("input[name=block]").dispatchEvent("change");
        await page.waitForFunction(() => /block \(0, 1, 0\)/.test(document.querySelector(".watch .about").textContent), null, SOON);
        await button(page, "next-stop").click();
        expected = await screen(page);
        await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async (text) => (window.copied = text) } }));
        await button(page, "link").click();
        hash = new URL(await (await page.waitForFunction(() => window.copied)).jsonValue()).hash;
    });
    await withBook(browser, `playground.html${hash}`, async (page) => {
        await shown(page);
        assert.deepEqual(await screen(page), expected);
        assert.equal(await watch(page).locator("input[name=stops]").inputValue(), "wavefronts > 1");
        assert.equal(await watch(page).locator("input[name=block]").inputValue(), "2");
    });
});

test("a verdict shows its moment: a race, a stray address, a wrong element, a bank conflict", async (browser) => {
    const cases = [
        ["03 solution", (text) => text.replace("__syncthreads();", ""), /read after write|write after read/],
        ["03 solution", (text) => text.replace("if (row < rows && col < cols)", "if (true)"), /out of bounds/],
        ["03 solution", (text) => text.replace("tile[threadIdx.x][threadIdx.y];", "tile[threadIdx.y][threadIdx.x];"), /stores the wrong element/],
        ["04 solution", (text) => text.replace("TILE_DIM + 1", "TILE_DIM"), /32 wavefronts, where 1 would be enough/],
    ];
    await withBook(browser, "playground.html", async (page) => {
        for (const [label, edit, words] of cases) {
            await page.locator("select[name=start]").selectOption({ label });
            await page.waitForSelector(".bench[data-outcome=passed][aria-busy=false]", SOON);
            const text = (await page.locator(".editor .cm-line").allTextContents()).join("\n");
            assert.notEqual(edit(text), text);
            await page.locator(".cm-content").fill(edit(text));
            await page.locator("button[name=run]").click();
            await page.waitForSelector(".bench[data-outcome=failed][aria-busy=false]", SOON);
            await page.locator("button[name=show-me]").click();
            await shown(page);
            assert.match(await events(page), words);
            if (await button(page, "mistake").isHidden()) continue;
            await button(page, "back").click();
            assert.doesNotMatch(await events(page), words);
            await button(page, "mistake").click();
            assert.match(await events(page), words);
        }
    });
});

test("any kernel can be watched with its own arguments", async (browser) => {
    const divide = "__global__ void divide(int* out, const int* in, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {\n        int half = in[i] / 2;\n        out[i] = half;\n    }\n}\n";
    await withBook(browser, "playground.html", async (page) => {
        await page.locator(".cm-content").fill(divide);
        const field = (name) => page.locator(`form.arguments [name="${name}"]`);
        for (const [name, value] of [["value n", "40"], ["value in", "iota"], ["block", "64"], ["grid", "1"]]) {
            await field(name).fill(value);
            await field(name).dispatchEvent("change");
        }
        await page.locator("button[name=watch]").click();
        await shown(page);
        assert.match(await watch(page).locator(".about").textContent(), /^n = 40, block \(0, 0, 0\)\./);
        await setStops(page, "5: warp == 1");
        await button(page, "next-stop").click();
        assert.deepEqual((await valuesOf(page, "half")).slice(0, 9), ["16", "16", "17", "17", "18", "18", "19", "19", ""]);
        assert.match(await events(page), /lanes 8-31 wait/);
        // A mistake is shown here, too.
        await page.locator(".cm-content").fill(divide.replace("i < n", "true"));
        await page.locator("button[name=run]").click();
        await page.waitForSelector(".bench[data-outcome=failed][aria-busy=false]", SOON);
        await page.locator("button[name=show-me]").click();
        await shown(page);
        assert.match(await events(page), /out of bounds/);
        assert.match(await lineOf(page), /in\[i\]/);
    });
});

const lessonMoments = {
    "03_tiled": /threads have arrived/, "04_padded": /32 wavefronts/, "06_diagonal": /./, "10_registers": /wavefronts?/,
    "12_async": /bytes of asynchronous copies are in flight/, "13_tma": /./,
};

test("lessons show their moment in the lesson's kernel, and in the reader's", async (browser) => {
    for (const [lesson, words] of sampled(Object.entries(lessonMoments), 5)) {
        let link = "";
        await withBook(browser, `lesson_${lesson}.html`, async (page) => {
            const first = page.locator(".to-explorer a[href*='watch=']").first();
            link = await first.getAttribute("href");
            await page.waitForSelector(".your-turn[data-ready]", SOON);
            await page.locator("button[data-stops]").first().click();
            await page.waitForSelector(".watch:not([hidden])", SOON);
            await page.waitForSelector(".watch[aria-busy=false]", SOON);
        });
        await withBook(browser, link, async (page) => {
            await shown(page);
            assert.equal(await watch(page).locator(".stops-told").textContent(), "", lesson);
            assert.match(`${await events(page)} ${await lineOf(page)}`, words, lesson);
            assert.ok((await stepOf(page)) > 0, lesson);
        });
    }
});

const wordMoments = {
    warp: /warp 1/, divergence: /lanes .* wait \(other path\)/, barrier: /32 of 64 threads have arrived/,
    bank: /32 wavefronts, where 1 would be enough/, wavefront: /2 wavefronts, where 1 would be enough/,
    sector: /32 sectors, where 4 would be enough/,
};

test("each word of the glossary has a run that fits on a phone, by touch", async (browser) => {
    fs.mkdirSync(screenshots, { recursive: true });
    let links = [];
    await withBook(browser, "glossary.html", async (page) => {
        links = await page.$$eval("a[href*='begin=']", (all) => all.map((link) => link.getAttribute("href")));
    });
    assert.equal(links.length, 6);
    for (const link of sampled(links, 3)) {
        const word = new URLSearchParams(link.split("#")[1]).get("begin");
        await withBook(browser, link, async (page) => {
            await shown(page);
            const words = `${await watch(page).locator("output").textContent()} ${await events(page)}`;
            assert.match(words, wordMoments[word], word);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= PHONE.width, `${word} is ${wide} wide`);
            const at = await stepOf(page);
            await button(page, "back").click();
            assert.equal(await stepOf(page), at - 1);
            const sizes = await watch(page).locator(".tools button").evaluateAll((all) => all.filter(({ offsetParent }) => offsetParent).map(({ offsetHeight }) => offsetHeight));
            assert.ok(sizes.every((height) => height >= 24), `${sizes}`);
            await watch(page).screenshot({ path: path.join(screenshots, `watch-${word}.png`) });
        }, { viewport: PHONE });
    }
});

test("axe finds no fault in a run, in both themes, on large and small screens", async (browser) => {
    await withBook(browser, "playground.html", async (page) => {
        await watched(page, "03 solution");
        await setStops(page, "wavefronts > 1; 999");
        await button(page, "next-stop").click();
        await watch(page).locator("summary").click();
        await checkLooks(page, [[1440, "light"], [390, "dark"]], path.join(screenshots, "watch"));
    });
});

runTests(browserPath, only);
