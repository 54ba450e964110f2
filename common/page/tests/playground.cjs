// Tests the playground in a headless browser, and compares the page's verdicts with those of the native program.
//
//     node playground.cjs HTML CHROMIUM SCREENSHOTS VERDICTS [PART OF A TEST'S NAME]
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { serve } = require("./site.cjs");
const { SOON, checkLooks, runTests, sampled, test, wholeTest, withPage } = require("./pages.cjs");

const [html, browserPath, screenshots, verdicts, only = ""] = process.argv.slice(2);
const site = serve(html).then(({ address }) => address);

async function withPlayground(browser, use, { hash = "", ...options } = {}) {
    await withPage(browser, await site, `playground.html${hash}`, use, options);
}

const side = (page, number) => page.locator(`.side:nth-child(${number})`);
const textOf = (part) => part.locator(".editor .cm-line").allTextContents();
const outcome = (page, number, wanted) => page.waitForSelector(`.side:nth-child(${number}) .bench[data-outcome=${wanted}][aria-busy=false]`, SOON);

/** With this function, the page takes a kernel with the exercise's name for the exercise. */
const configure = "constexpr Launch configure(int rows, int cols) { return {}; }";

test("a link restores the texts of two kernels", async (browser) => {
    let hash = "", texts = [];
    await withPlayground(browser, async (page) => {
        await page.locator("#compare").click();
        await side(page, 2).locator(".cm-content").fill(`// mine: ünïcode, % & + = #\n__global__ void transpose() {}\n${configure}\n`);
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
        assert.match(await page.locator(".outcome .roofline svg").getAttribute("aria-label"), /yours: 0\.\d+ .*solution: 0\.\d+ /s);
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
            console.log(`    ${when}: ${endless.message ?? endless.failure}, ${Math.round(endless.took)} ms after it was asked for`);
            // If the limit is long, because the page is new or this machine is slow, the simulator finds the loop first.
            if (!endless.message) {
                assert.equal(endless.failure, "endless-loop");
                continue;
            }
            assert.match(endless.message, /far more work than the task needs, and was stopped after \d+ seconds/);
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
        const chosen = sampled(names, 12);
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
        for (const label of sampled(labels, 16)) {
            await page.locator("select[name=start]").selectOption({ label });
            await page.waitForSelector(".bench[data-outcome][aria-busy=false]", SOON);
            assert.equal(await page.locator("form.arguments").isVisible(), !/^(\d\d|x_\w+) /.test(label), `${label}: only other kernels are not checked`);
            assert.equal(await page.locator(".note.error").count(), 0, label);
            if (/solution|fixed/.test(label)) assert.equal(await page.locator(".bench").getAttribute("data-outcome"), "passed", label);
            // A variant may cost more than the exercise allows. One variant is correct only for whole tiles.
            if (/(exercise|bug hunt|unchecked)$/.test(label)) continue;
            const titles = await page.locator(".outcome h2").allTextContents();
            const wrong = titles.filter((words) => !/^The launch had \d+ block/.test(words));
            assert.ok(!wrong.some((words) => /out\(|written|bounds|race|barrier|launch/.test(words)), `${label}: ${wrong}`);
        }
    });
});

// ---- kernels that belong to no exercise ----

const addition = (guard = "if (i < n) ") => `__global__ void add(float* c, const float* a, const float* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ${guard}c[i] = a[i] + b[i];
}
`;
const field = (page, name) => page.locator(`form.arguments [name="${name}"]`);
const numbersOf = (page, name) => page.locator(`.array[data-array=${name}] tbody td`).allTextContents();

/** Changes a field of the form, as a reader does who then leaves the field. */
async function setField(page, name, value) {
    if (name === "kernel") await field(page, name).selectOption(value);
    else await field(page, name).fill(value);
    await field(page, name).dispatchEvent("change");
}

/** Types a text, and waits for the result of its launch. */
async function launched(page, text, wanted, fields = {}) {
    await page.locator(".cm-content").fill(text);
    for (const [name, value] of Object.entries(fields)) await setField(page, name, value);
    await page.locator("button[name=run]").click();
    await outcome(page, 1, wanted);
}

test("a vector addition runs with the proposed arguments, and the page shows its numbers", async (browser) => {
    let hash = "";
    await withPlayground(browser, async (page) => {
        await launched(page, addition(), "passed");
        const proposed = { n: "value n", grid: "grid", block: "block", elements: "extents a", values: "value a", none: "value c" };
        for (const [key, name] of Object.entries(proposed)) proposed[key] = await field(page, name).inputValue();
        assert.deepEqual(proposed, { n: "1000", grid: "ceil_div(n, 256)", block: "256", elements: "[n]", values: "random(-1, 1)", none: "" });
        const sums = (await numbersOf(page, "c")).map(Number);
        assert.equal(sums.length, 1000);
        assert.ok(sums.every((sum) => sum > -2 && sum < 2) && new Set(sums).size > 900, "random inputs have random sums");
        await launched(page, addition(), "passed", { "value a": "iota", "value b": "100", "value n": "700" });
        assert.deepEqual((await numbersOf(page, "c")).map(Number), Array.from({ length: 700 }, (_, i) => i + 100));
        assert.equal((await numbersOf(page, "a"))[699], "699");
        // Only the commas outside all parentheses separate the axes of a grid.
        await launched(page, addition(), "passed", { grid: "max(ceil_div(n, 256), min(1, n)), 1", "value n": "768" });
        await page.waitForFunction(() => document.querySelector(".outcome h2").textContent.startsWith("The launch had 3 blocks of 256 threads"), null, SOON);
        // Nothing is compared with a solution.
        const costs = await page.locator("table.costs").innerText();
        assert.match(costs, /sectors per load\s+4\n/);
        assert.doesNotMatch(costs, /ideal|solution|asked/);
        assert.match(await page.locator(".cm-costs, .cm-gutters").first().innerText(), /s/, "the line has its costs");
        await page.waitForTimeout(500);
        hash = await page.evaluate(() => location.hash);
    });
    await withPlayground(browser, async (page) => {
        assert.equal(await field(page, "value b").inputValue(), "100", "a link contains the arguments");
        assert.equal(await page.locator("select[name=task]").inputValue(), "launched");
    }, { hash });
});

test("a launch has a predicted time, a roofline, and the kernel's output", async (browser) => {
    await withPlayground(browser, async (page) => {
        await launched(page, addition('if (i == 7) printf("seven: %d\\n", n);\n    if (i < n) '), "passed");
        assert.equal((await page.locator(".printed pre").textContent()).trim(), "seven: 1000");
        // Without parameters, without a mangled name.
        await launched(page, 'extern "C" __global__ void hello() { printf("hello from %d\\n", threadIdx.x); }', "passed");
        assert.equal((await page.locator(".printed pre").textContent()).trim().split("\n")[31], "hello from 31");
        // The page shows only the beginning of a long output, and says so.
        await launched(page, addition('for (int k = 0; k < 30; k++) printf("%d %d: the kernel prints far too much\\n", i, k);\n    if (i < n) '), "passed");
        assert.match((await page.locator(".printed pre").textContent()).slice(-60), /and more that is not shown/);
        await launched(page, addition(), "passed");
        await page.locator(".launch-time summary").first().click();
        await page.waitForSelector(".launch-time .time[data-ms]", SOON);
        const small = Number(await page.locator(".launch-time .time").getAttribute("data-ms"));
        await page.locator(".launch-time select[name=size]").selectOption({ label: "n = 16384000" });
        await page.waitForFunction((before) => Number(document.querySelector(".launch-time .time").dataset.ms) > 10 * before, small, SOON);
        await page.locator(".roofline summary").click();
        assert.match(await page.locator(".roofline svg").textContent(), /add/);
        assert.match(await page.locator(".roofline svg").getAttribute("aria-label"), /^add: 0\.\d+ instructions per byte/);
    });
});

test("the proposed arguments and launch fit common kernels", async (browser) => {
    const rowAndColumn = "const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;";
    const kernels = [
        [`__global__ void scale(float* image, int width, int height, float factor) {
    ${rowAndColumn}
    if (row < height && col < width) image[row * width + col] *= factor;
}`, { "extents image": "[height][width]", "value image": "random(-1, 1)", "value factor": "2", grid: "ceil_div(width, 32), ceil_div(height, 8)", block: "32, 8" }],
        [`__global__ void product(const float* a, const float* b, float* c, int m, int n, int k) {
    ${rowAndColumn}
    float sum = 0;
    for (int i = 0; i < k && row < m && col < n; ++i) sum += a[row * k + i] * b[i * n + col];
    if (row < m && col < n) c[row * n + col] = sum;
}`, { "extents a": "[m][k]", "extents b": "[k][n]", "extents c": "[m][n]", "value c": "" }],
        [`__global__ void count(unsigned* __restrict__ counts, const unsigned char* __restrict__ in, size_t n) {
    extern __shared__ float unused[];
    if (threadIdx.x < n) atomicAdd(&counts[in[threadIdx.x]], 1u);
}`, { "value counts": "zero", "value in": "random(0, 100)", shared: "1024" }],
    ];
    await withPlayground(browser, async (page) => {
        for (const [text, fields] of kernels) {
            await launched(page, text, "passed");
            for (const [name, value] of Object.entries(fields)) assert.equal(await field(page, name).inputValue(), value, `${name} of ${text}`);
        }
    });
});

wholeTest("two kernels side by side have their own arguments and times", async (browser) => {
    await withPlayground(browser, async (page) => {
        await page.locator("#compare").click();
        for (const [number, n] of [[1, 500], [2, 4000]]) {
            await side(page, number).locator(".cm-content").fill(addition());
            await side(page, number).locator('[name="value n"]').fill(String(n));
            await side(page, number).locator("button[name=run]").click();
            await outcome(page, number, "passed");
        }
        for (const [number, moved] of [[1, "6 KB"], [2, "4[89] KB"]]) {
            await side(page, number).locator(".launch-time summary").first().click();
            await page.waitForSelector(`.side:nth-child(${number}) .launch-time .time[data-ms]`, SOON);
            assert.match((await side(page, number).locator(".time-headline").textContent()).replace(/\s/g, " "), new RegExp(`moves ${moved}`));
        }
    });
});

test("the reports of a launch are at their lines", async (browser) => {
    await withPlayground(browser, async (page) => {
        await launched(page, addition(""), "failed");
        assert.match(await page.locator(".outcome h2").textContent(), /reads a\[1000\], but `?a`? has 1000 elements/);
        assert.match(await page.locator(".outcome .next").textContent(), /Test the index against the size/);
        assert.equal(await page.locator(".outcome .to-line").textContent(), "Line 3");
        assert.match(await page.locator(".editor .note.cause").textContent(), /reads a\[1000\]/);
        assert.equal(await page.locator(".array").count(), 0, "the arrays of a stopped kernel are not known");
        // Elements that no thread writes are no mistake, but the page shows them.
        await launched(page, addition("if (i < n - 2) "), "passed");
        const sums = await numbersOf(page, "c");
        assert.deepEqual([sums[997] !== "–", sums[998], sums[999]], [true, "–", "–"]);
        await launched(page, "__global__ void sum(int* total, const int* in, int n) {\n    for (int i = threadIdx.x; i < n; i += blockDim.x)\n        *total += in[i];\n}\n", "failed");
        assert.match(await page.locator(".outcome h2").textContent(), /total/);
    });
});

wholeTest("a matrix of integers has a heat map with a description", async (browser) => {
    const table = `__global__ void products(int* out, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) out[row * cols + col] = (row - 2) * col;
}
`;
    await withPlayground(browser, async (page) => {
        await launched(page, table, "passed", { "value rows": "20", "value cols": "30" });
        assert.equal(await field(page, "extents out").inputValue(), "[rows][cols]");
        const numbers = (await numbersOf(page, "out")).map(Number);
        assert.deepEqual(numbers, Array.from({ length: 600 }, (_, i) => (Math.floor(i / 30) - 2) * (i % 30) + 0));
        const map = page.locator(".array[data-array=out] .heat svg");
        assert.match(await map.getAttribute("aria-label"), /20 rows of 30 cells. The smallest is -58 in row 0, column 29, the largest 493 in row 19, column 29/);
        const opacities = await map.locator("rect").evaluateAll((all) => all.map((cell) => [cell.className.baseVal, Number(cell.getAttribute("fill-opacity"))]));
        assert.equal(opacities.length, 600);
        assert.deepEqual(opacities[599], ["above", 1]);
        assert.equal(opacities[29][0], "below");
        assert.ok(opacities[29][1] < .3 && opacities[0][1] < .1);
        // A large matrix has cells that stand for several elements.
        await launched(page, table, "passed", { "value rows": "200", "value cols": "30" });
        assert.match(await page.locator(".heat figcaption").textContent(), /mean of 4 x 1 elements/);
        assert.equal(await map.locator("rect").count(), 50 * 30);
        assert.match(await page.locator(".array[data-array=out]").textContent(), /first 100 of 200 rows/);
    });
});

test("the page says why a text cannot be launched", async (browser) => {
    await withPlayground(browser, async (page) => {
        const standing = () => page.locator(".bench .standing").textContent();
        const refused = async (text, fields, words) => {
            await launched(page, text, "stopped", fields);
            await page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector(".bench .standing").textContent), words.source, SOON);
            assert.match(await standing(), words);
        };
        await refused(`${addition()}int main() { return 0; }\n`, {}, /whole program.*build\/bin\/simulate/);
        await refused(`template <int SIZE> ${addition()}`, {}, /add is a template/);
        await refused(addition(), { grid: "ceil_div(m, 256)" }, /Grid, ceil_div\(m, 256\)/);
        await refused(addition(), { grid: "4", "extents b": "[n / 0]" }, /not launched/);
        await refused(addition(), { "extents b": "[n]", "value a": "rondom(1, 2)" }, /random\(-1, 1\), sorted/);
        await refused(addition(), { "value a": "iota", "value n": "60000000" }, /at most 32 MB/);
        await refused(addition(), { "value n": "0" }, /size n must be a whole number/);
        await launched(page, addition(), "failed", { "value n": "1000", block: "2000" });
        assert.match(await page.locator(".outcome h2").textContent(), /2000/);
        await launched(page, "__global__ void first(int* x) { x[threadIdx.x] = 1; }\n__global__ void second(int* y) { y[threadIdx.x] = 2; }\n", "passed", { kernel: "second", grid: "1", block: "8", "extents y": "[8]" });
        assert.deepEqual(await numbersOf(page, "y"), Array(8).fill("2"));
        // A launch that does not end is stopped.
        // A launch that does not end is stopped by the time limit or, on a fast computer, by the limit on instructions.
        await page.locator(".cm-content").fill("__global__ void endless(int* x) { for (;;) atomicAdd(x, 1); }\n");
        await page.locator("button[name=run]").click();
        await page.waitForSelector(".bench:is([data-outcome=stopped], [data-outcome=failed])[aria-busy=false]", SOON);
        assert.match(`${await standing()} ${await page.locator(".outcome").textContent()}`, /stopped after 10 seconds|does not end/);
        await launched(page, addition(), "passed");
    });
});

test("a kernel can be launched with the keyboard alone", async (browser) => {
    await withPlayground(browser, async (page) => {
        await page.locator(".cm-content").focus();
        await page.keyboard.press("Control+A");
        await page.keyboard.insertText(addition());
        await page.waitForSelector("form.arguments:not([hidden])");
        await page.locator("select[name=task]").focus();
        const focused = () => page.evaluate(() => document.activeElement.getAttribute("name"));
        const order = [];
        for (let i = 0; i < 9; i++) {
            await page.keyboard.press("Tab");
            order.push(await focused());
        }
        assert.deepEqual(order, ["value n", "grid", "block", "shared", "extents c", "value c", "extents a", "value a", "extents b"]);
        await page.keyboard.press("Tab");
        await page.keyboard.press("Control+A");
        await page.keyboard.type("5");
        // The editor comes next. Escape leaves it, and the button to run the kernel follows.
        await page.keyboard.press("Tab");
        await page.keyboard.press("Escape");
        await page.keyboard.press("Tab");
        assert.equal(await focused(), "run");
        await page.keyboard.press("Enter");
        await page.waitForFunction(() => document.querySelector(".array[data-array=b] tbody td")?.textContent === "5", null, SOON);
        await outcome(page, 1, "passed");
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
        const looks = sampled([[1440, "light"], [1440, "dark"], [1024, "dark"], [390, "dark"], [390, "light"]], 3);
        await checkLooks(page, looks, path.join(screenshots, "playground"));
    });
});

test("axe finds no fault in a launch, in both themes, on large and small screens", async (browser) => {
    fs.mkdirSync(screenshots, { recursive: true });
    await withPlayground(browser, async (page) => {
        await page.locator("select[name=start]").selectOption({ label: "image of two waves" });
        await outcome(page, 1, "passed");
        for (const summary of [".launch-time", ".roofline"]) await page.locator(`${summary} summary`).first().click();
        await page.waitForSelector(".launch-time .time[data-ms]", SOON);
        await checkLooks(page, sampled([[1440, "light"], [390, "dark"], [1440, "dark"], [390, "light"]], 2), path.join(screenshots, "launch"));
    });
});

runTests(browserPath, only);
