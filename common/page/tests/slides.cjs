// Tests the slides of the lessons in a headless browser.
//
//     node slides.cjs HTML CHROMIUM [PART OF A TEST'S NAME]
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const { serve } = require("./site.cjs");
const { accessibilityFaults, runTests, sampled, test, withPage } = require("./pages.cjs");

const [html, browserPath, only = ""] = process.argv.slice(2);
const lessons = fs.readdirSync(html).filter((name) => /^lesson_\d.*\.html$/.test(name)).sort();
const place = (page) => page.locator(".slides [role=status]").textContent();
const press = (page, key) => page.keyboard.press(key);
const HALL = { viewport: { width: 1280, height: 720 } };

async function openSlides(page) {
    await page.locator(".to-slides").click();
    await page.waitForSelector(".slide.now");
}

test("keys move through the slides, and Escape returns to the lesson", async (browser) => {
    const { address } = await serve(html);
    await withPage(browser, address, "lesson_03_tiled.html", async (page) => {
        await openSlides(page);
        const count = await page.locator(".slide").count();
        assert.equal(await place(page), `1 of ${count}`);
        await press(page, "ArrowRight");
        assert.equal(await place(page), `2 of ${count}`);
        await press(page, "ArrowLeft");
        await press(page, "ArrowLeft");
        assert.equal(await place(page), `1 of ${count}`, "there is no slide before the first");
        await press(page, "End");
        await press(page, "PageDown");
        assert.equal(await place(page), `${count} of ${count}`, "there is no slide after the last");
        assert.deepEqual(await accessibilityFaults(page), []);
        await press(page, "Escape");
        assert.equal(await page.locator(".slides").count(), 0);
        assert.equal(await page.evaluate(() => document.activeElement.className), "to-slides");
        assert.equal(await page.locator("[inert]").count(), 0);
    }, HALL);
});

test("each lesson has a slide for each of its pictures, and every slide fits the screen", async (browser) => {
    const { address } = await serve(html);
    for (const lesson of sampled(lessons, 3)) {
        await withPage(browser, address, lesson, async (page) => {
            const drawings = await page.locator("main .textblock > .drawing").count();
            await openSlides(page);
            const count = await page.locator(".slide").count();
            assert.ok(await page.locator(".slide .drawing").count() >= drawings - 3, `${lesson}: pictures are missing`);
            for (let i = 0; i < count; ++i) {
                const tooLarge = await page.evaluate(() => {
                    const slide = document.querySelector(".slide.now");
                    const bottom = document.querySelector(".slides nav").getBoundingClientRect().top;
                    return [...slide.querySelectorAll("h2, p, ol, .shown > *")].map((one) => one.getBoundingClientRect())
                        .some((box) => box.bottom > bottom + 1 || box.right > innerWidth + 1);
                });
                assert.ok(!tooLarge, `${lesson}: slide ${i + 1} does not fit`);
                await press(page, "ArrowRight");
            }
            console.log(`    ${lesson}: ${count} slides, ${drawings} drawings`);
        }, HALL);
    }
});

test("slides do not contain the answers to the questions", async (browser) => {
    const { address } = await serve(html);
    await withPage(browser, address, "lesson_03_tiled.html", async (page) => {
        const answers = await page.locator("main .choice input").evaluateAll((all) => all.map((one) => one.dataset.says).filter(Boolean));
        assert.ok(answers.length > 3);
        await openSlides(page);
        const shown = await page.locator(".slides").evaluate((all) => all.outerHTML);
        for (const answer of answers) assert.ok(!shown.includes(answer), answer);
        assert.ok(!/data-right|data-answer/.test(shown));
    }, HALL);
});

test("printing makes one page of each slide", async (browser) => {
    const { address } = await serve(html);
    await withPage(browser, address, "lesson_03_tiled.html", async (page) => {
        await openSlides(page);
        const count = await page.locator(".slide").count();
        const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
        assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g).length, count);
    }, HALL);
});

runTests(browserPath, only);
