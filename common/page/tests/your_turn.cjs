// Tests "Your turn" in the lessons, in a headless browser. The pages are served over HTTP, because the compiler does
// not work in pages that are opened as files. Only one test opens a page as a file.
//
//     node your_turn.cjs HTML CHROMIUM SCREENSHOTS ROOT BIN [PART OF A TEST'S NAME]
//
// ROOT is the repository. BIN is the folder that contains the program learn.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { serve } = require("./site.cjs");
const { SOON, accessibilityFaults, runTests, sampled, test, wholeTest, withPage } = require("./pages.cjs");

const [html, browserPath, screenshots, root, programs, only = ""] = process.argv.slice(2);
const site = serve(html).then(({ address }) => address);

/** Opens a lesson and calls `use(page, work)` when the editor is ready. `work` has the exercise's texts. */
async function withLesson(browser, use, { lesson = "03_tiled", ...options } = {}) {
    await withPage(browser, options.site ?? (await site), `lesson_${lesson}.html`, async (page) => {
        await page.waitForSelector(".your-turn[data-ready]", SOON);
        await use(page, await page.evaluate((wanted) => window.exerciseData.exercises.find(({ name }) => name === wanted).exercise, lesson));
    }, options.browser);
}

const editor = (page) => page.locator(".your-turn .editor .cm-content");
const standing = (page) => page.locator(".bench .standing");
const outcome = (page, wanted) => page.waitForSelector(`.bench[data-outcome=${wanted}][aria-busy=false]`, SOON);
const textOf = (page) => page.evaluate(() => [...document.querySelectorAll(".editor .cm-line")].map((line) => line.textContent).join("\n"));
const click = (page, name) => page.locator(`.your-turn button[name=${name}]`).click();

async function pass(page, { solution }, guesses = ["4", "32"]) {
    await editor(page).fill(solution);
    await outcome(page, "passed");
    for (const [i, guess] of guesses.entries()) await page.locator(`#guess-${i}`).fill(guess);
    if (guesses.length) await page.locator("form.predict button[type=submit]").click();
    await page.waitForSelector(".outcome .costs", SOON);
}

test("a solution that is typed key by key passes, and its costs are shown after they were predicted", async (browser) => {
    await withLesson(browser, async (page, { solution }) => {
        assert.equal(await page.locator("details.solved[open]").count(), 0, "the solved kernel is folded");
        // The exercise already contains the part of the solution that precedes this comment.
        const begin = solution.indexOf("    // The lanes of a warp now read");
        assert.ok(begin > 0);
        await editor(page).fill(solution.slice(0, begin));
        await page.keyboard.press("Control+End");
        // The editor indents each new line, so type the lines without their indentation.
        for (const line of solution.slice(begin).trimEnd().split("\n")) {
            await page.keyboard.type(line.trimStart());
            await page.keyboard.press("Enter");
        }
        await outcome(page, "passed");
        assert.match(await standing(page).textContent(), /^Passed/);
        assert.equal(await page.locator(".outcome .costs").count(), 0, "no costs are shown before they are predicted");
        assert.equal(await page.locator(".costs-gutter .cheap").count(), 0);
        assert.ok(await page.locator("details.solved").first().getAttribute("open") !== null, "the solved kernel is unfolded");

        await page.locator("#guess-0").fill("four");
        await page.locator("form.predict button[type=submit]").click();
        assert.match(await page.locator("form.predict .wrong").textContent(), /number/);
        await page.locator("#guess-0").fill("4");
        await page.locator("#guess-1").fill("1");
        await page.locator("form.predict button[type=submit]").click();
        await page.waitForSelector("section.predict li.right", SOON);
        assert.match(await page.locator("section.predict li.right").textContent(), /store.*4/);
        assert.match(await page.locator("section.predict li.wrong").textContent(), /shared load.*32/);
        const rows = await page.$$eval(".outcome .costs tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
        assert.deepEqual(rows[0].slice(1), ["yours", "asked", "ideal", "solution"]);
        assert.deepEqual(rows.find(([name]) => name === "wavefronts per shared load"), ["wavefronts per shared load", "32", "≤ 32", "1", "32"]);
        assert.deepEqual(await page.$$eval(".costs-gutter .costly", (all) => all.map((one) => one.textContent)), ["32w"]);
    });
});

/** Words of a terminal, and paths of the course's folder, except commands for readers with a real GPU. */
const TERMINAL = /\.\/learn|\bterminal\b|\bprint(s|ed)?\b|build\/bin(?!\/\w+ --(bench|device gpu))|\b(exercises|solutions|steps|common)\//;

/** Returns the words of the terminal in the page's text, except in folded parts and in the code of the editor. */
const terminalWords = (page) => page.evaluate((pattern) => {
    const main = document.querySelector("main").cloneNode(true);
    main.querySelectorAll("details:not([open]) > :not(summary), .editor, script, style, noscript, [hidden]").forEach((part) => part.remove());
    const found = new RegExp(`.{0,60}(${pattern}).{0,60}`).exec(main.textContent.replace(/\s+/g, " "));
    return found ? found[0] : "";
}, TERMINAL.source);

test("a first visitor gets from the front page to a kernel that passes, without a word of a terminal", async (browser) => {
    fs.mkdirSync(screenshots, { recursive: true });
    await withPage(browser, await site, "index.html", async (page) => {
        let shots = 0;
        const film = async () => {
            await page.screenshot({ path: path.join(screenshots, `visitor-${++shots}.png`) });
            assert.equal(await terminalWords(page), "", `screenshot ${shots}`);
        };
        await film();
        await page.locator(".ways .first").click();
        await page.waitForSelector(".your-turn[data-ready]", SOON);
        await film();
        const { skeleton, solution } = await page.evaluate(() => window.exerciseData.exercises.find(({ name }) => name === "01_copy").exercise);
        assert.equal(await textOf(page), skeleton.trimEnd() + "\n");
        await click(page, "run");
        await outcome(page, "failed");
        await film();
        await click(page, "hint");
        await page.waitForSelector(".hint h4", SOON);
        await film();
        await editor(page).fill(solution);
        await outcome(page, "passed");
        await film();
        for (const input of await page.locator("form.predict input").all()) await input.fill("4");
        if (await page.locator("form.predict").count()) await page.locator("form.predict button[type=submit]").click();
        await page.waitForSelector(".outcome .costs", SOON);
        await film();
        await page.goto(`${await site}index.html`);
        assert.match(await page.locator(".ways .first").textContent(), /^Continue with 02 /);
        await film();
    });
});

test("no lesson with an editor mentions the terminal, except in folded parts", async (browser) => {
    // Lesson 00 is about a whole program, and lesson 16 about programs that run on several computers.
    const lessons = fs.readdirSync(html).filter((name) => /^(lesson|exercise)_.*\.html$/.test(name) && !/_00_|_16_/.test(name));
    await withPage(browser, await site, "index.html", async (page) => {
        for (const name of ["index.html", "introduction.html", ...sampled(lessons, 3)]) {
            await page.goto((await site) + name);
            assert.equal(await terminalWords(page), "", name);
        }
    });
});

test("a compile error is shown at its line, and disappears when it is fixed", async (browser) => {
    await withLesson(browser, async (page, { solution }) => {
        await editor(page).fill(solution.replace("__syncthreads();", "__syncthread();"));
        await outcome(page, "failed");
        const note = page.locator(".note.error").first();
        assert.match(await note.textContent(), /__syncthread/);
        assert.match(await page.locator(".cm-line.line-error").first().textContent(), /__syncthread\(\);/);
        await editor(page).fill(solution);
        await outcome(page, "passed");
        assert.equal(await page.locator(".note.error").count(), 0);
    });
});

test("an endless kernel is reported, and the page stays usable", async (browser) => {
    await withLesson(browser, async (page, { solution }) => {
        await editor(page).fill(solution.replace("__syncthreads();", "__syncthreads();\n    for (volatile int i = 0; i < 1;) {}"));
        await outcome(page, "failed");
        assert.match(await page.locator(".outcome h2").textContent(), /does not end/);
        await editor(page).fill(solution.replace("__syncthreads();", "__syncthreads();\n    if (rows >= 128) for (;;) atomicAdd(out + 97 * threadIdx.x, 1.0f);"));
        await page.waitForFunction(() => /stopped/.test(document.querySelector(".bench .standing").textContent), null, SOON);
        await editor(page).fill(solution);
        await outcome(page, "passed");
    });
});

test("the text and the passed exercises are still there after a reload", async (browser) => {
    await withLesson(browser, async (page, work) => {
        await pass(page, work);
        const text = `// mine\n${work.solution}`;
        await editor(page).fill(text);
        await page.reload();
        await page.waitForSelector(".your-turn[data-ready]", SOON);
        assert.match(await textOf(page), /^\/\/ mine\n/);
        assert.match(await page.locator("button[name=exercise]").textContent(), /passed/);
        assert.ok(await page.locator("details.solved").first().getAttribute("open") !== null);
        await click(page, "run");
        await outcome(page, "passed");
        assert.equal(await page.locator("form.predict").count(), 0, "no question is asked twice");
        await click(page, "hunt");
        assert.match(await textOf(page), /^\/\/ Bug hunt/);
    });
});

wholeTest("if the browser stores nothing, the page says so and still works", async (browser) => {
    const init = () => {
        Storage.prototype.setItem = () => {
            throw new DOMException("no", "QuotaExceededError");
        };
    };
    await withLesson(browser, async (page, work) => {
        assert.match(await page.locator(".problem").textContent(), /stores nothing/);
        await pass(page, work);
        assert.match(await page.locator("button[name=exercise]").textContent(), /passed/);
    }, { browser: { init } });
});

wholeTest("progress is exported to .learn/state.json and imported again", async (browser) => {
    await withLesson(browser, async (page, work) => {
        await pass(page, work);
        await page.locator(".work summary").click();
        const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button[name=save-state]").click()]);
        const state = JSON.parse(fs.readFileSync(await download.path(), "utf8"));
        assert.equal(state.format, 2);
        const record = state.exercises["03_tiled"];
        assert.match(record.passed_hash, /^[0-9a-f]{16}$/);
        assert.equal(record.checks, 1);
        assert.deepEqual(record.guesses.map(({ counter, said, fact }) => [counter, said, fact]), [["store", 4, 4], ["shared_load", 32, 32]]);

        state.exercises["03_tiled hunt"] = { ...record, guesses: [] };
        const input = page.locator(".work input[type=file]");
        await input.setInputFiles([
            { name: "state.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(state)) },
            { name: "kernel.cu", mimeType: "text/plain", buffer: Buffer.from("// from a file\n") },
        ]);
        await page.waitForFunction(() => /from a file/.test(document.querySelector(".editor").textContent));
        assert.match(await page.locator("button[name=hunt]").textContent(), /passed/);
        await input.setInputFiles({ name: "state.json", mimeType: "application/json", buffer: Buffer.from('{"format": 9, "exercises": {}}') });
        await page.waitForFunction(() => /format 9/.test(document.querySelector(".work .standing").textContent));
    });
});

async function saved(page) {
    if (!(await page.locator(".work[open]").count())) await page.locator(".work summary").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("button[name=save-state]").click()]);
    return JSON.parse(fs.readFileSync(await download.path(), "utf8"));
}

const opened = (page, state) => page.locator(".work input[type=file]").setInputFiles(
    { name: "state.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(state)) });

/** Copies the course for a learner at the terminal. `state` is the progress so far. */
function copyOfCourse(state) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coalesce-course-"));
    for (const part of ["course.toml", "steps", "solutions"]) fs.symlinkSync(path.join(root, part), path.join(folder, part));
    fs.cpSync(path.join(root, "exercises"), path.join(folder, "exercises"), { recursive: true });
    const file = path.join(folder, ".learn/state.json");
    fs.mkdirSync(path.dirname(file));
    if (state) fs.writeFileSync(file, JSON.stringify(state));
    return {
        folder,
        learn: (...words) => execFileSync(path.join(programs, "learn"), words, { encoding: "utf8", env: { ...process.env, COALESCE_COURSE: folder } }),
        state: () => JSON.parse(fs.readFileSync(file, "utf8")),
    };
}

test("the terminal and the page record the same progress, and each reads what the other saves", async (browser) => {
    const lesson = "05_coarsened";
    await withLesson(browser, async (page, work) => {
        const guesses = work.questions.map((_, i) => String(i + 4));
        assert.ok(work.questions.some(({ counter }) => counter === "of_copy_predicted"), "a question about time, too");
        await pass(page, work, guesses);
        await page.waitForSelector("section.predict li", SOON);
        await click(page, "hint");
        await page.waitForSelector(".hint h4", SOON);
        const page1 = await saved(page);
        const reader = copyOfCourse(page1);
        reader.learn("predict", lesson);
        assert.deepEqual(reader.state(), page1, "./learn writes the same state");

        // Make the same progress in the terminal, with `learn`.
        const learner = copyOfCourse();
        learner.learn("predict", lesson, ...guesses);
        fs.writeFileSync(path.join(learner.folder, work.file), work.solution);
        learner.learn("check", lesson, "--through-ir");
        learner.learn("hint", lesson);
        const own = learner.state();
        const [at_terminal, in_page] = [own, page1].map(({ exercises }) => ({ ...exercises[lesson], passed_at: "" }));
        assert.deepEqual(in_page, at_terminal);
        assert.match(in_page.predicted.label, /^predicted, /);
        assert.ok(in_page.guesses.every(({ fact }) => fact !== null));

        // Make more progress in the terminal. The page then merges this progress into its own, and saves the result in
        // both places.
        own.exercises["03_tiled"] = { ...own.exercises[lesson], hints: { all: 2 }, best_measured: { gbps: 3000, ms: 0.2, device: "a GPU" } };
        own.exercises[lesson] = { ...own.exercises[lesson], checks: 7, hints: { all: 4, other: 1 }, best_measured: { gbps: 3100, ms: 0.1, device: "a GPU" } };
        own.exercises[lesson].guesses = own.exercises[lesson].guesses.slice(1);
        await opened(page, own);
        await page.waitForFunction(() => /was imported/.test(document.querySelector(".work .standing").textContent));
        const both = await saved(page);
        assert.deepEqual(both.exercises["03_tiled"], own.exercises["03_tiled"]);
        const merged = both.exercises[lesson];
        assert.deepEqual([merged.checks, merged.best_measured.gbps, merged.guesses.length], [7, 3100, guesses.length]);
        for (const [failure, level] of Object.entries(own.exercises[lesson].hints)) assert.equal(merged.hints[failure], level);
        await opened(page, both);
        await opened(page, own);
        assert.deepEqual(await saved(page), both, "importing twice has no further effect");
        const last = copyOfCourse(both);
        last.learn("predict", lesson);
        assert.deepEqual(last.state(), both);
        for (const { folder } of [reader, learner, last]) fs.rmSync(folder, { recursive: true });
    }, { lesson });
});

wholeTest("hints become more detailed, the solution is shown beside the passed text, and reset saves the text", async (browser) => {
    await withLesson(browser, async (page, work) => {
        for (let level = 1; level <= 4; level++) {
            await click(page, "hint");
            await page.waitForFunction((count) => document.querySelectorAll(".hint h4").length === count, level, SOON);
        }
        await click(page, "explain");
        await page.waitForSelector(".difference button", SOON);
        await pass(page, { solution: work.solution.replace("The lanes of a warp now read", "The lanes read") });
        await click(page, "explain");
        await page.waitForSelector(".difference .cm-deletedChunk", SOON);
        assert.match(await page.locator(".difference .cm-deletedChunk").textContent(), /The lanes read/);
        await page.waitForSelector(".explained dd", SOON);
        assert.ok((await page.locator(".explained dd").count()) >= 2, "a reason for each costly line");
        await click(page, "reset");
        assert.match(await textOf(page), /TODO/);
        await click(page, "restore");
        assert.match(await textOf(page), /The lanes read/);
    });
});

test("a reader can step through the kernel, lane by lane and block by block", async (browser) => {
    await withLesson(browser, async (page, work) => {
        await pass(page, work);
        await page.locator(".own summary").first().click();
        await page.waitForSelector(".own .picture svg", SOON);
        const line = 1 + work.solution.split("\n").findIndex((text) => text.trimStart().startsWith("tile["));
        assert.match(await page.locator(".own .headline").textContent(), new RegExp(`^Load from in, line ${line}: 4 sectors`));
        assert.match(await page.locator(".own .line-shown").textContent(), new RegExp(`^${line} {2}tile\\[`));
        await page.locator(".own button[name=conflict]").click();
        assert.match(await page.locator(".own .headline").textContent(), /32 wavefronts, where 1 would be enough/);
        const rows = () => page.locator(".own .picture text.right").count();
        const before = await rows();
        await page.locator(".own button[name=all]").click();
        assert.ok(before < 32 && (await rows()) === 32, "all wavefronts");
        await page.locator(".own input[name=lane]").focus();
        for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
        assert.match(await page.locator(".own .accesses output").textContent(), /^lane 2: bank 0/);
        assert.equal(await page.locator(".own .picture .followed").count(), 1);
        await page.waitForSelector(".own .order svg", SOON);
        assert.equal(await page.locator(".own .order text.lane").count(), 64);
        await page.locator(".own input[name=begun]").focus();
        await page.keyboard.press("Home");
        assert.equal(await page.locator(".own .order text.lane").count(), 1);
        await page.waitForSelector(".own-time[aria-busy=false] svg", SOON);
        assert.match(await page.locator(".own-time .time-headline").textContent(), /of a copy/);
    });
});

test("the editor works by keyboard: Tab indents, Escape leaves the editor, and Ctrl-Enter runs the kernel", async (browser) => {
    await withLesson(browser, async (page, { skeleton }) => {
        await editor(page).focus();
        await page.keyboard.press("Control+Home");
        await page.keyboard.press("Tab");
        assert.match(await textOf(page), /^ {4}\/\/ Exercise/);
        await page.keyboard.press("Escape");
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate(() => document.activeElement.getAttribute("name")), "run");
        await editor(page).fill(skeleton);
        await page.keyboard.press("Control+Enter");
        await outcome(page, "failed");
        assert.match(await page.locator(".outcome h2").textContent(), /never written/);
    });
});

test("on a page opened from the file system there is no compiler, and the page names ./learn play", async (browser) => {
    const files = pathToFileURL(path.resolve(html)).href + "/";
    await withLesson(browser, async (page) => {
        await click(page, "run");
        assert.match(await standing(page).textContent(), /\.\/learn play/);
        await click(page, "hint");
        await page.waitForSelector(".hint h4", SOON);
        await editor(page).fill("// kept\n");
        await page.reload();
        await page.waitForSelector(".your-turn[data-ready]", SOON);
        assert.match(await textOf(page), /^\/\/ kept/);
    }, { site: files });
});

test("axe finds no fault, and the page fits the screen, in both themes, on large and small screens", async (browser) => {
    fs.mkdirSync(screenshots, { recursive: true });
    await withLesson(browser, async (page, work) => {
        // Resizing an open page is enough, because its layout does not depend on the size and theme that it had when it
        // was opened.
        const looks = [[1440, "light"], [1024, "light"], [1440, "dark"], [390, "dark"], [390, "light"]];
        const withEachLook = async (state, chosen) => {
            for (const [width, colorScheme] of chosen) {
                await page.setViewportSize({ width, height: 900 });
                await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
                await page.locator(".your-turn").screenshot({ path: path.join(screenshots, `your-turn-${state}-${width}-${colorScheme}.png`) });
                assert.deepEqual(await accessibilityFaults(page), [], `${state}, ${width}, ${colorScheme}`);
                const wide = await page.evaluate(() => document.documentElement.scrollWidth);
                assert.ok(wide <= width, `${state}: ${wide} wide on a screen of ${width}`);
            }
        };
        await editor(page).fill(work.solution.replace("__syncthreads();", "__syncthread();"));
        await outcome(page, "failed");
        await withEachLook("error", sampled(looks, 5));
        await pass(page, work, ["4", "1"]);
        for (const name of ["hint", "explain"]) await click(page, name);
        await page.locator(".own summary").first().click();
        await page.locator(".work summary").click();
        await page.waitForSelector(".hint h4", SOON);
        await page.waitForSelector(".own-time[aria-busy=false] svg", SOON);
        await withEachLook("passed", sampled(looks, 3));
    });
});

runTests(browserPath, only);
