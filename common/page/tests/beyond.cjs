// Tests exercises other than transposes in a headless browser: those in the book, and a teacher's own exercise, which
// `./learn play` serves.
//
//     node beyond.cjs HTML CHROMIUM ROOT BIN [PART OF A TEST'S NAME]
//
// ROOT is the repository. BIN is the folder that contains the program learn.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync, spawn } = require("node:child_process");
const { once } = require("node:events");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { serve } = require("./site.cjs");
const { SOON, accessibilityFaults, runTests, sampled, test, withPage } = require("./pages.cjs");

const [html, browserPath, root, programs, only = ""] = process.argv.slice(2);
const learn = path.join(programs, "learn");

const editor = (page) => page.locator(".your-turn .editor .cm-content");
const outcome = (page, wanted) => page.waitForSelector(`.bench[data-outcome=${wanted}][aria-busy=false]`, SOON);
const ready = (page) => page.waitForSelector(".your-turn[data-ready] .bench", SOON);
const solutionOf = (page, name) => page.evaluate((wanted) =>
    [...window.exerciseData.exercises, ...(window.ownExercises?.exercises ?? [])].find((one) => one.name === wanted).exercise.solution, name);

const names = fs.readdirSync(path.join(root, "solutions")).filter((name) => name.startsWith("x_")).sort();

test("each exercise beyond the transpose has a page, on which its solution passes", async (browser) => {
    const { address } = await serve(html);
    for (const name of sampled(names, 4)) {
        await withPage(browser, address, `exercise_${name}.html`, async (page) => {
            await ready(page);
            await editor(page).fill(await solutionOf(page, name));
            await outcome(page, "passed");
            const [, seconds] = /simulated, ([\d.]+) s/.exec(await page.locator(".bench .standing").textContent());
            console.log(`    ${name}: ${seconds} s from the text to the verdict`);
            assert.match(await page.locator(".outcome").textContent(), /sectors in all|global requests in all/);
            // Only exercises on matrices have pictures and predicted times.
            assert.ok(await page.locator("details.own").isHidden());
        });
    }
});

test("for a wrong kernel, the page names the wrong element and the sizes", async (browser) => {
    const { address } = await serve(html);
    const wrong = fs.readFileSync(path.join(root, "solutions/x_row_sums/wrong/last_step_missing.cu"), "utf8");
    await withPage(browser, address, "exercise_x_row_sums.html", async (page) => {
        await ready(page);
        await editor(page).fill(wrong);
        await outcome(page, "failed");
        assert.match(await page.locator(".outcome").textContent(), /out\(\d+\) is [\d.]+, expected [\d.]+/);
        // The message states the sizes of this exercise.
        assert.match(await page.locator(".outcome").textContent(), /rows = \d+, cols = \d+/);
    });
});

test("the page of an exercise is accessible", async (browser) => {
    const { address } = await serve(html);
    await withPage(browser, address, "exercise_x_stencil_2d.html", async (page) => {
        await ready(page);
        assert.deepEqual(await accessibilityFaults(page), []);
    });
});

test("without your own exercises, the page says how to make one", async (browser) => {
    const { address } = await serve(html);
    await withPage(browser, address, "own.html", async (page) => {
        await page.waitForSelector(".your-turn[data-ready]", SOON);
        assert.match(await page.locator(".your-turn").textContent(), /\.\/learn exercise new NAME/);
    });
});

/** Creates a course with the exercise x_scale in a temporary folder, as a teacher would. Returns the folder. */
function courseWithOwnExercise() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "own-"));
    for (const part of ["course.toml", "steps"]) fs.symlinkSync(path.join(root, part), path.join(folder, part));
    fs.mkdirSync(path.join(folder, "solutions"));
    execFileSync(learn, ["exercise", "new", "scale", "--title", "Scaled vector", "--sizes", "n", "--argument", "float* out[n]",
        "--argument", "const float* in[n]", "--argument", "float factor = 3", "--argument", "int n", "--element", "factor * in[index]"],
        { env: { ...process.env, COALESCE_COURSE: folder } });
    return folder;
}

test("./learn play serves a teacher's own exercise, and shows changes to its record", async (browser) => {
    const folder = courseWithOwnExercise();
    const played = spawn(learn, ["play", "--port", "0"], { env: { ...process.env, COALESCE_COURSE: folder } });
    let printed = "";
    while (!/Ctrl-C/.test(printed)) printed += (await once(played.stdout, "data"))[0];
    const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed);
    assert.match(printed, /own\.html/);
    try {
        await withPage(browser, address, "own.html#x_scale", async (page) => {
            await ready(page);
            const solution = await solutionOf(page, "x_scale");
            await editor(page).fill(solution);
            await outcome(page, "passed");
            await editor(page).fill(solution.replace("factor * in[index]", "factor + in[index]"));
            await outcome(page, "failed");
            assert.match(await page.locator(".outcome").textContent(), /out\(0\) is/);
        });
        const record = path.join(folder, "solutions/x_scale/exercise.toml");
        fs.writeFileSync(record, fs.readFileSync(record, "utf8").replace("float* out[n]", "float* out[m]"));
        await withPage(browser, address, "own.html", async (page) => {
            await page.waitForSelector(".your-turn[data-ready]", SOON);
            assert.match(await page.locator(".your-turn").textContent(), /exercise\.toml:5: .*m.* is not one of the sizes/);
        });
    } finally {
        played.kill("SIGINT");
        fs.rmSync(folder, { recursive: true });
    }
});

runTests(browserPath, only);
