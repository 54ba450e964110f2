// Tests the built book and its explorer in a headless browser that opens files.
//
//     node browser.cjs HTML SIMULATED_JSON CHROMIUM SCREENSHOTS STEPS [PART OF A TEST'S NAME]
//
// STEPS is the folder of the lessons' programs. The page must predict the same times as these programs.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const vm = require("node:vm");
const { accessibilityFaults, runTests, sampled, test, withPages: withPagesAt } = require("./pages.cjs");
const { median, serve } = require("./site.cjs");

const [html, simulatedJson, browserPath, screenshots, programs, only = ""] = process.argv.slice(2);
const site = pathToFileURL(path.resolve(html)).href + "/";
const lessons = fs.readdirSync(html).filter((name) => /^lesson_\d\d.*\.html$/.test(name)).sort();
const withPages = (browser, names, use, options) => withPagesAt(browser, site, names, use, options);
const withPage = (browser, name, use, options) => withPages(browser, [name], use, options);
/** One page of each kind in the book, and some of the lessons, all of which have the same structure. */
const KINDS = ["index.html", "introduction.html", "profile.html", "glossary.html", "annotated.html"];
const someLessons = sampled(lessons, 4);

/** The steps that the explorer shows, with each variant's name and its figures in lesson.toml. */
const explored = (() => {
    const window = {};
    vm.runInNewContext(fs.readFileSync(path.join(html, "course-data.js"), "utf8"), { window });
    return window.courseData.steps
        .filter(({ is_explored }) => is_explored)
        .map(({ name, variants }) => ({ name, variants: variants.filter((v) => v.launch).map((v) => [v.name, v.expect]) }));
})();

// ---- the book ----

test("every page in the contents opens without errors or a network, and fits the screen, in both themes", async (browser) => {
    const names = [];
    await withPage(browser, "index.html", async (page) => {
        names.push(...(await page.$$eval("#sidebar a:not([href^='#'])", (links) => links.map((link) => link.getAttribute("href")))));
    });
    assert.ok(names.length >= 15, `only ${names.length} pages`);
    for (const lesson of lessons) assert.ok(names.includes(lesson), `${lesson} is not in the contents`);
    fs.mkdirSync(screenshots, { recursive: true });
    const all = [...new Set([...KINDS, "harness.html", "structcoalesce_1_1Variant.html", "explorer.html", "playground.html", ...names])];
    for (const [colorScheme, width, chosen] of [["light", 360, all], ["dark", 360, sampled(all, 5)], ["dark", 1440, sampled(all, 5)]]) {
        await withPages(browser, chosen, async (page, name) => {
            if (names.includes(name)) {
                assert.equal(await page.locator("h1").count(), 1, `${name}: one title`);
                if (!/^(explorer|playground)/.test(name)) {
                    assert.equal(await page.locator("#sidebar [aria-current=page]").count(), 1, `${name}: shown as open`);
                }
            }
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            const file = `${name.replace(".html", "")}-${width}-${colorScheme}.png`;
            if (KINDS.includes(name)) await page.screenshot({ path: path.join(screenshots, file) });
            assert.ok(wide <= width, `${name} is ${wide} wide on a screen of ${width}`);
        }, { colorScheme, viewport: { width, height: 900 } });
    }
});

test("a lesson's questions accept the figures in lesson.toml, and no others", async (browser) => {
    const steps = fs.readdirSync(path.join(__dirname, "../../../steps")).filter((name) => /^\d\d_/.test(name));
    assert.deepEqual(lessons.map((name) => name.slice("lesson_".length, -".html".length)), steps.sort());
    let asked = 0;
    for (const lesson of someLessons) {
        const step = lesson.slice("lesson_".length, -".html".length);
        const shown = explored.find(({ name }) => name === step);
        if (!shown) continue;
        asked++;
        const [[, expected]] = shown.variants;
        await withPage(browser, lesson, async (page) => {
            const forms = page.locator("form.question[data-answer]");
            assert.ok((await forms.count()) > 0, `${lesson} asks nothing`);
            for (let i = 0; i < (await forms.count()); i++) {
                const form = forms.nth(i);
                const answer = expected[await form.getAttribute("data-counter")];
                await form.locator("input").fill(String(answer));
                await form.locator("button").click();
                assert.match(await form.locator(".verdict").textContent(), /^Right/, `${lesson}, question ${i + 1}`);
                await form.locator("input").fill(String(answer + 1));
                await form.locator("button").click();
                assert.match(await form.locator(".verdict").textContent(), /^No\. /, `${lesson}, question ${i + 1}`);
            }
        });
    }
    const chosen = explored.filter(({ name }) => someLessons.includes(`lesson_${name}.html`));
    assert.ok(explored.length >= 9 && chosen.length > 0 && asked === chosen.length, `${asked} lessons, ${explored.length} steps`);
});

test("the multiple-choice questions of lesson 03 reply to each choice", async (browser) => {
    await withPage(browser, "lesson_03_tiled.html", async (page) => {
        const forms = page.locator("form.question:has(fieldset)");
        assert.ok((await forms.count()) >= 3);
        for (let i = 0; i < (await forms.count()); i++) {
            const form = forms.nth(i);
            await form.locator("button").click();
            assert.match(await form.locator(".verdict").textContent(), /Choose one/);
            for (const right of ["yes", "no"]) {
                await form.locator(`input[data-right=${right}]`).first().check();
                await form.locator("button").click();
                const verdict = await form.locator(".verdict").textContent();
                assert.match(verdict, right === "yes" ? /^Right\. .{20}/ : /^No\. .{20}/);
            }
        }
    });
});

test("the search finds lessons by words in their text", async (browser) => {
    await withPage(browser, "index.html", async (page) => {
        await page.keyboard.press("/");
        await page.keyboard.type("partition camping");
        await page.waitForSelector("#found a");
        assert.match(await page.locator("#found a").first().getAttribute("href"), /06_diagonal|references/);
        await page.locator("#search").fill("zyzzyva");
        await page.waitForFunction(() => /Nothing/.test(document.getElementById("found").textContent));
    });
});

test("the arrow keys move through the search results, and the page marks the words found", async (browser) => {
    await withPage(browser, "index.html", async (page) => {
        await page.locator("#search").fill("bank conflicts");
        await page.waitForSelector("#found a");
        const texts = (await page.locator("#found p").allTextContents()).join(" ");
        assert.doesNotMatch(texts, /<!--|-->|doxytag|fragment -/);
        assert.ok((await page.locator("#found p mark").count()) > 0, "words are marked");
        const focused = () => page.evaluate(() => [...document.querySelectorAll("#found a")].indexOf(document.activeElement));
        await page.keyboard.press("ArrowDown");
        assert.equal(await focused(), 0);
        await page.keyboard.press("ArrowDown");
        assert.equal(await focused(), 1);
        await page.keyboard.press("ArrowUp");
        await page.keyboard.press("ArrowUp");
        assert.equal(await page.evaluate(() => document.activeElement.id), "search");
        await page.keyboard.press("Enter");
        await page.waitForSelector("main mark");
        assert.match(page.url(), /\?find=bank%20conflicts/);
        assert.match(await page.locator("main mark").first().textContent(), /bank|conflicts/i);
    });
});

test("the search finds the explorer and the playground", async (browser) => {
    await withPage(browser, "index.html", async (page) => {
        for (const [words, name] of [["explorer", "explorer.html"], ["playground", "playground.html"]]) {
            await page.locator("#search").fill(words);
            await page.waitForFunction((name) => document.querySelector(`#found a[href^="${name}"]`), name);
        }
    });
});

test("a lesson has its sections in the sidebar and a link at each heading, and code can be copied", async (browser) => {
    await withPage(browser, "lesson_06_diagonal.html", async (page) => {
        const sections = await page.$$eval("#sidebar .sections a", (links) => links.map((link) => link.textContent));
        assert.ok(sections.includes("The idea") && sections.length >= 4, sections);
        assert.ok((await page.locator("main h2 .to-heading").count()) >= sections.length);
        await page.locator("#menu").click();
        assert.ok(await page.locator("#sidebar").isVisible());
        assert.ok(await page.evaluate(() => {
            const [side, here] = [document.getElementById("sidebar"), document.querySelector("[aria-current]")].map((e) => e.getBoundingClientRect());
            return here.top >= side.top && here.bottom <= side.bottom;
        }), "the sidebar shows the entry of this page");
    });
    await withPage(browser, "source_03_tiled.html", async (page) => {
        await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void (window.copied = text) } }));
        await page.locator(".copied-from > .copy").first().click();
        const source = fs.readFileSync(path.join(__dirname, "../../../steps/03_tiled/main.cu"), "utf8");
        // Doxygen removes the markers of snippets, so remove them here too.
        const plain = (text) => text.split("\n").map((line) => line.trimEnd()).filter((line) => !line.startsWith("//!")).join("\n").trim();
        assert.equal(plain(await page.evaluate(() => window.copied)), plain(source));
        assert.ok((await page.locator(".fragment .cuda", { hasText: "__global__" }).count()) > 0);
    });
});

test("pictures fit a phone, and can be enlarged to their natural size", async (browser) => {
    await withPage(browser, "lesson_08_vec4.html", async (page) => {
        const drawing = page.locator(".drawing:not(.text-drawing)").first();
        const overflow = () => drawing.evaluate((element) => element.scrollWidth - element.clientWidth);
        assert.ok((await overflow()) <= 0);
        await page.locator(".enlarge:visible").first().click();
        assert.ok((await overflow()) > 0);
    }, { viewport: { width: 390, height: 800 } });
});

test("axe finds no fault on any page of the book, in both themes, on wide and narrow screens", async (browser) => {
    const names = fs.readdirSync(html).filter((name) => name.endsWith(".html")).sort();
    const { address } = await serve(html); // axe reads the style sheets, which a browser does not permit for files
    for (const [i, [colorScheme, width]] of [["light", 1440], ["dark", 1440], ["light", 390], ["dark", 390]].entries()) {
        // Test different pages with each theme and width.
        const chosen = [...new Set(["index.html", "explorer.html", "playground.html", ...sampled(names.slice(i), 16)])];
        await withPagesAt(browser, address, chosen, async (page, name) => assert.deepEqual(await accessibilityFaults(page), [], name),
            { colorScheme, viewport: { width, height: 900 }, reducedMotion: "reduce" });
    }
});

test("the theme switch changes the colours of the page and of its drawings", async (browser) => {
    await withPage(browser, "lesson_04_padded.html", async (page) => {
        const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const used = () => page.evaluate(() => getComputedStyle(document.querySelector(".diagram .idle")).fill);
        const before = [await background(), await used()];
        await page.locator("#theme").click();
        const after = [await background(), await used()];
        assert.notEqual(before[0], after[0]);
        assert.notEqual(before[1], after[1], "drawings follow the switch");
    });
});

// ---- the explorer ----

test("the explorer opens with a picture", async (browser) => {
    await withPage(browser, "explorer.html", async (page) => {
        assert.equal(await page.locator(".picture svg").count(), 1);
        const [{ startTime }] = await page.evaluate(() => performance.getEntriesByName("first-picture"));
        console.log(`    ${Math.round(startTime)} ms after it was opened`);
    });
});

test("at 1024 x 1024, every kernel has the same counters in the page as in the native program", async (browser) => {
    const inPage = new Set(explored.map(({ name }) => name));
    const native = JSON.parse(fs.readFileSync(simulatedJson)).results.filter(
        (row) => row.counters && row.counters.load_requests && inPage.has(row.step),
    );
    assert.ok(native.length >= 50, `only ${native.length} kernels to compare with`);
    await withPage(browser, "explorer.html", async (page) => {
        let slowest = 0;
        for (const row of native) {
            const [result, took] = await page.evaluate(([step, variant, rows, cols]) => {
                const begin = performance.now();
                const answer = window.runKernel(step, variant, rows, cols);
                return [answer, performance.now() - begin];
            }, [row.step, row.variant, row.rows, row.cols]);
            const name = `${row.step}, ${row.variant}`;
            const same = Object.keys(row.counters).filter((counter) => counter in result.counters);
            assert.ok(same.length >= 11, `${name}: only ${same.length} counters`);
            for (const counter of same) {
                assert.equal(result.counters[counter], row.counters[counter], `${name}: ${counter}`);
            }
            assert.equal(result.wrong ?? 0, 0, `${name}: wrong cells`);
            assert.deepEqual(result.reports, [], name);
            slowest = Math.max(slowest, took);
        }
        console.log(`    ${native.length} kernels, the slowest ${Math.round(slowest)} ms`);
    });
});

test("the table shows the figures per request that lesson.toml states", async (browser) => {
    const names = { load_sectors: "load", store_sectors: "store", shared_load_wavefronts: "shared_load", shared_store_wavefronts: "shared_store" };
    const expected = new Map(explored.map(({ name, variants: [[variant, expect]] }) => [`explorer.html#a=${name},${variant},1024,1024,0,0,0`, { name, expect }]));
    await withPages(browser, [...expected.keys()], async (page, address) => {
        const { name, expect } = expected.get(address);
        await page.waitForFunction((step) => document.querySelector("select[name=step]").value === step, name);
        for (const [counter, key] of Object.entries(names)) {
            const shown = await page.locator(`tr[data-counter=${counter}] td`).nth(3).textContent();
            assert.equal(shown, key in expect ? String(expect[key]) : "-", `${name}: ${counter}`);
        }
    });
});

test("the explorer can be used with the keyboard alone", async (browser) => {
    await withPage(browser, "explorer.html", async (page) => {
        const headline = () => page.locator(".headline").textContent();
        assert.match(await headline(), /^Load from in, line \d+: 4 sectors/);
        await page.keyboard.press("ArrowRight");
        assert.match(await headline(), /^Store to the tile.*1 wavefront,/);
        await page.keyboard.press("c");
        assert.match(await headline(), /^Load from the tile.*32 wavefronts, where 1 would be enough/);
        const current = await page.locator(".lines [aria-current] .number").textContent();
        assert.ok((await headline()).includes(`line ${current}:`), "the source line is marked");
        await page.keyboard.press("s");
        assert.equal(await page.locator(".panel").count(), 2);
        await page.keyboard.press("s");
        // Move to the button "Next" with Tab, and press Enter.
        await page.evaluate(() => document.activeElement.blur());
        for (let i = 0; i < 30; i++) {
            await page.keyboard.press("Tab");
            if ((await page.evaluate(() => document.activeElement.getAttribute("name"))) === "next") break;
        }
        await page.keyboard.press("Enter");
        assert.match(await headline(), /^Store to out.*4 sectors/);
        // Choose another variant with the arrow keys.
        await page.locator("select[name=variant]").focus();
        await page.keyboard.press("ArrowDown");
        assert.equal(await page.locator("select[name=variant]").inputValue(), "tiled_16");
        assert.match(await page.locator(".verdict").textContent(), /Every cell of out is right/);
    });
});

test("a link restores the state of the explorer, even with two kernels side by side", async (browser) => {
    const hash = "#a=03_tiled,tiled,128,64,1,3,2&b=04_padded,swizzled,128,64,1,3,2";
    await withPage(browser, "explorer.html" + hash, async (page) => {
        assert.equal(await page.locator(".panel").count(), 2);
        assert.deepEqual(await page.$$eval(".headline", (all) => all.map((one) => one.textContent.replace(/.*: /, ""))),
            ["32 wavefronts, where 1 would be enough", "1 wavefront, the minimum"]);
        assert.equal(await page.locator("input[name=rows]").first().inputValue(), "128");
        await page.keyboard.press("ArrowRight");
        assert.match(page.url(), /#a=03_tiled,tiled,128,64,1,3,3&b=/);
    });
    await withPage(browser, "explorer.html#a=nothing,none,x,-1,99999,99,99", async (page) => {
        assert.equal(await page.locator(".picture svg").count(), 1, "an invalid link still shows a picture");
    });
});

test("a new block shape or matrix shape updates the results", async (browser) => {
    await withPage(browser, "explorer.html#a=02_naive,naive,256,256,0,0,0", async (page) => {
        const store = () => page.locator("tr[data-counter=store_sectors] td").nth(3).textContent();
        assert.equal(await store(), "32");
        await page.locator("input[name=across]").fill("8");
        await page.locator("input[name=down]").fill("32");
        await page.keyboard.press("Enter");
        await page.locator("input[name=rows]").focus();
        assert.equal(await store(), "8");
        assert.match(await page.locator(".verdict").textContent(), /Every cell of out is right/);
        await page.locator("input[name=rows]").fill("1");
        await page.locator("input[name=cols]").focus();
        assert.equal(await store(), "1");
    });
});

test("PTX can be edited and run, and its errors are shown", async (browser) => {
    await withPage(browser, "explorer.html#a=02_naive,naive,64,64,0,0,0", async (page) => {
        await page.locator("details.ptx summary").click();
        const area = page.locator("details.ptx textarea");
        const ptx = await area.inputValue();
        const run = page.locator("button[name=run-ptx]");
        // Without its store, the kernel leaves every cell unchanged.
        await area.fill(ptx.replaceAll("st.global.f32", "// st.global.f32"));
        await run.click();
        assert.match(await page.locator(".verdict").textContent(), /cells of out are wrong/);
        await area.fill("this is no PTX");
        await run.click();
        assert.match(await page.locator(".verdict").textContent(), /\S{3}/);
        assert.match(await page.locator(".verdict").getAttribute("class"), /wrong/);
        await page.locator("button[name=reset-ptx]").click();
        assert.match(await page.locator(".verdict").textContent(), /Every cell of out is right/);
    });
});

// ---- predicted times ----

/** Returns the times that a lesson's program predicts for the GPU, as results with "variant" and "predicted". */
function predictedNatively(step, size, gpu) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coalesce-"));
    const file = path.join(folder, "predicted.json");
    const shape = ["--rows", "64", "--cols", "64", "--time", gpu, "--at", `${size}x${size}`];
    execFileSync(path.join(programs, step), ["--device", "sim", "--bench", ...shape, "--json", file]);
    const { results } = JSON.parse(fs.readFileSync(file));
    fs.rmSync(folder, { recursive: true });
    return results.filter((row) => row.predicted);
}

test("every kernel's prediction in the page agrees with the native one to 12 digits", async (browser) => {
    const { differences } = await import("./differences.mjs");
    let compared = 0;
    await withPage(browser, "explorer.html", async (page) => {
        for (const [i, { name }] of explored.entries()) {
            const [size, gpu] = [[1024, "NVIDIA H200"], [32768, "NVIDIA H200"], [8192, "NVIDIA L4"]][i % 3];
            for (const { variant, predicted } of predictedNatively(name, size, gpu)) {
                const here = await page.evaluate((question) => window.predictKernel(...question), [name, variant, size, size, gpu]);
                const [native] = predicted.launches;
                delete native.time_line;
                assert.ok(here.prediction.time_line.moments.length > 10, `${name}, ${variant}: a timeline`);
                delete here.prediction.time_line;
                assert.deepEqual(differences(native, here.prediction, "/predicted/"), [], `${name}, ${variant}`);
                assert.ok(Math.abs(here.of_copy - predicted.of_copy) < 1e-6, `${name}, ${variant}: part of a copy`);
                compared++;
            }
        }
    });
    assert.ok(compared >= 50, `only ${compared} kernels compared`);
});

const shownTime = async (part) => {
    await part.page().waitForFunction((one) => one.getAttribute("aria-busy") === "false", await part.elementHandle());
    const words = await part.locator(".time-headline").textContent();
    return { words, ms: Number(await part.getAttribute("data-ms")), picture: await part.locator("svg").innerHTML() };
};

test("the page predicts the time of the current kernel for the selected GPU and size", async (browser) => {
    await withPage(browser, "explorer.html#a=03_tiled,tiled,64,64,0,0,0", async (page) => {
        const part = page.locator(".panel .time").first();
        const first = await shownTime(part);
        assert.match(first.words, /^About .* of a copy \S*predicted, NVIDIA\sH200, within \d+\s%/);
        assert.match(await part.locator(".binds").textContent(), /^The kernel waits at barriers.*Little's law/);
        const label = await part.locator("svg").getAttribute("aria-label");
        assert.match(label, /one multiprocessor.*predicted, NVIDIA H200.*On average .* in flight/);
        assert.match(await part.locator("pre").textContent(), /one multiprocessor[^]*in flight[^]*cycles/);

        await part.locator("select[name=size]").selectOption("32768");
        const large = await shownTime(part);
        assert.ok(large.ms > 3.5 * first.ms && large.ms < 4.5 * first.ms, `${first.ms} ms, then ${large.ms} ms`);
        await part.locator("select[name=gpu]").selectOption("NVIDIA L4");
        const other = await shownTime(part);
        assert.ok(other.ms > 3 * large.ms, `${other.ms} ms on an L4`);
        assert.match(other.words, /predicted, unverified, NVIDIA L4/);
        assert.match(await part.locator(".known").textContent(), /unverified/);
        assert.match(page.url(), /a_time=NVIDIA\+L4,32768/);

        await page.locator("select[name=step]").selectOption("04_padded");
        const padded = await shownTime(part);
        assert.ok(padded.ms < other.ms, "another kernel has another time");
        await page.locator("details.ptx summary").click();
        await page.locator("details.ptx textarea").fill("this is no PTX");
        await page.locator("button[name=run-ptx]").click();
        assert.match((await shownTime(part)).words, /^No time is predicted: .{5}/);
    });
    await withPage(browser, "explorer.html#a=03_tiled,tiled,64,64,0,0,0&a_time=NVIDIA+L4,32768", async (page) => {
        const { words } = await shownTime(page.locator(".panel .time").first());
        assert.match(words, /NVIDIA\sL4/, "the GPU comes from the link");
    });
    await withPage(browser, "explorer.html#a_time=Abacus,7&a=03_tiled,tiled,64,64,0,0,0&tile=5,99,-1", async (page) => {
        assert.match((await shownTime(page.locator(".panel .time").first())).words, /NVIDIA\sH200/, "an invalid link falls back to the default GPU");
        assert.match((await shownTime(page.locator("#sliders .time"))).words, /predicted/);
    });
});

/** Returns the previous and the current values of the table beside the sliders. */
const costsOf = (page) =>
    page.$$eval("#sliders tr[data-cost]", (rows) =>
        Object.fromEntries(rows.map((row) => [row.dataset.cost, [...row.cells].slice(1).map((cell) => parseFloat(cell.textContent))])),
    );

test("moving the sliders by keyboard shows that padding removes conflicts and more elements add loads in flight", async (browser) => {
    await withPage(browser, "explorer.html", async (page) => {
        const part = page.locator("#sliders .time");
        const move = async (name, key) => {
            const { picture } = await shownTime(part);
            await page.locator(`#tile-${name}`).focus();
            await page.keyboard.press(key);
            await page.waitForFunction((old) => document.querySelector("#sliders .time svg").innerHTML !== old, picture);
            return shownTime(part);
        };
        const tiled = await shownTime(part);
        const padded = await move("padding", "ArrowRight");
        assert.equal(await page.locator("output[for=tile-padding]").textContent(), "1 float");
        assert.ok(padded.ms < 0.8 * tiled.ms, `${tiled.ms} ms, padded ${padded.ms} ms`);
        const costs = await costsOf(page);
        assert.deepEqual(costs.shared_load_wavefronts, [32, 1], "wavefronts before and now");
        assert.deepEqual(costs.load_waits, [1, 1]);
        assert.ok(costs.of_copy[1] > costs.of_copy[0] && costs.time[1] < costs.time[0]);

        const two = await move("padding", "ArrowRight");
        assert.ok(two.ms >= padded.ms);
        assert.deepEqual((await costsOf(page)).shared_load_wavefronts, [1, 2]);
        await move("padding", "ArrowLeft");
        await move("elements", "ArrowRight");
        await move("elements", "ArrowRight");
        assert.deepEqual((await costsOf(page)).load_waits, [2, 4]);
        await move("down", "ArrowLeft");
        const coarsened = await move("down", "ArrowLeft");
        assert.ok(coarsened.ms < padded.ms, `${coarsened.ms} ms`);
        assert.match(page.url(), /tile=8,4,1/);
        assert.match(await page.locator(".lesson").textContent(), /05_coarsened/);
        const lesson = await page.evaluate(() => window.predictKernel("05_coarsened", "coarsened", 16384, 16384, "NVIDIA H200"));
        assert.ok(Math.abs(lesson.prediction.ms - coarsened.ms) < 0.01 * coarsened.ms, "as the lesson's own kernel");
    });
    await withPage(browser, "explorer.html#tile=4,8,1&tile_time=NVIDIA+A100-SXM4-80GB,4096", async (page) => {
        assert.match((await shownTime(page.locator("#sliders .time"))).words, /A100/, "the link says where the sliders are");
        assert.equal(await page.locator("output[for=tile-down]").textContent(), "32 x 4 threads");
        assert.ok(await page.locator("#tile-down").evaluate((slider) => slider.getBoundingClientRect().top < innerHeight), "and opens there");
    });
});

/** Moves all sliders together and waits for the result. Returns its time, the longest freeze, and the wrong cells. */
const moveTo = (page, positions) =>
    page.evaluate(async (values) => {
        const root = document.getElementById("sliders");
        const [part, form] = [root.querySelector(".time"), root.querySelector("form.sliders")];
        values.forEach((value, i) => (form.querySelectorAll("input")[i].value = value));
        const begin = performance.now();
        form.dispatchEvent(new Event("input", { bubbles: true }));
        let [last, stood] = [begin, 0];
        while (part.getAttribute("aria-busy") === "true") {
            await new Promise((resolve) => setTimeout(resolve, 1));
            stood = Math.max(stood, performance.now() - last);
            last = performance.now();
        }
        const refused = part.classList.contains("refused") ? part.querySelector(".time-headline").textContent : "";
        return { took: performance.now() - begin, stood, wrong: root.dataset.wrong, refused };
    }, positions);

test("the kernel is correct at every position of the sliders, and the page stays responsive", async (browser) => {
    await withPage(browser, "explorer.html", async (page) => {
        await shownTime(page.locator("#sliders .time"));
        const took = [], stood = [];
        const positions = [0, 1, 2, 3].flatMap((down) => [0, 1, 2, 3].flatMap((elements) => [0, 1, 2, 3, 4].map((padding) => [down, elements, padding])));
        assert.equal(positions.length, await page.evaluate(() => Object.keys(window.courseData.family.kernels).length));
        // Every 7th position is enough to test each position of each slider.
        for (const position of sampled(positions, 7)) {
            const moved = await moveTo(page, position);
            const name = `position ${position}`;
            assert.equal(moved.refused, "", name);
            assert.equal(moved.wrong, "0", `${name}: wrong cells`);
            took.push(moved.took);
            stood.push(moved.stood);
        }
        const middle = (list) => Math.round(median(list));
        console.log(`    ${took.length} positions: median ${middle(took)} ms; frozen for ${middle(stood)} ms`);
        // Without a worker, the page would freeze during the entire computation.
        assert.ok(middle(stood) < 0.5 * middle(took), `the page was frozen for ${middle(stood)} of ${middle(took)} ms`);
    });
});

test("if a slider moves quickly, the page shows its last position", async (browser) => {
    await withPage(browser, "explorer.html", async (page) => {
        const part = page.locator("#sliders .time");
        await shownTime(part);
        await page.locator("#tile-padding").focus();
        for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight", { delay: 0 });
        await page.waitForFunction(() => document.querySelector("#sliders tr[data-cost=shared_bytes] td:last-child").textContent === "4.5 KB");
        assert.deepEqual((await costsOf(page)).shared_load_wavefronts[1], 4);
        assert.match((await part.locator("svg").getAttribute("aria-label")), /transpose_tile<32, 1, 4>/);
    });
});

runTests(browserPath, only);
