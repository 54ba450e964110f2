// Prints how long a reader waits for the compiler in the page. This is a benchmark rather than a test, because other
// work on the machine could make a test fail.
//
//     node loading_speed.cjs HTML PAGE ROOT CHROMIUM BIN [MBIT/S]
//
// The arguments are those of loading.cjs. MBIT/S is 20 by default. `compiler ready` is the time since the lesson was
// opened. During this time, the service worker caches all pages over the same network connection.
"use strict";
const os = require("node:os");
const path = require("node:path");
const vm = require("node:vm");
const fs = require("node:fs");
const { chromium } = require("playwright-core");
const { median, requestsOf, scriptOf, serve } = require("./site.cjs");

const [html, pageFolder, root, browserPath, programs, megabits = "20"] = process.argv.slice(2);
const row = (name, value) => console.log(`${name.padEnd(58)} ${value}`);
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
const busy = () => os.loadavg()[0].toFixed(1);

function showKernels(where, took) {
    for (const [step, times] of Object.entries(took)) row(`  ${step}`, `${Math.round(median(times))} ms`);
    row(`one kernel, from its text to its IR, ${where}: median`, `${Math.round(median(Object.values(took).flat()))} ms`);
}

/** Compiles every exercise's solution three times, after a warm-up round, and returns the times. */
async function timesOf(requests, compile) {
    const took = {};
    for (let round = 0; round < 4; round++) {
        for (const [name, request] of Object.entries(requests)) {
            if (!name.startsWith("solutions/") || !name.endsWith("/kernel.cu")) continue;
            const { ir, milliseconds } = await compile(request);
            if (ir === null) throw new Error(`${name} does not compile`);
            if (round > 0) (took[name.split("/")[1]] ??= []).push(milliseconds);
        }
    }
    return took;
}

async function inNode(requests) {
    const folder = path.join(html, "compiler");
    const manifest = JSON.parse(fs.readFileSync(path.join(folder, "compiler.json"), "utf8"));
    const headers = JSON.parse(fs.readFileSync(path.join(folder, manifest.headers.file), "utf8"));
    const packed = fs.readFileSync(path.join(folder, manifest.module.file));
    const begin = performance.now();
    const module = await WebAssembly.compile(require("node:zlib").gunzipSync(packed));
    row("node: unpacked and compiled", seconds(performance.now() - begin));
    const script = await scriptOf(pageFolder, "clang.ts", "clangPart");
    const { Clang } = vm.runInThisContext(`${script}; clangPart`);
    const clang = new Clang(module, headers);
    const [request] = Object.values(requests);
    row("node: the first kernel", seconds(clang.compile(request).milliseconds));
    row("node: the second", seconds(clang.compile(request).milliseconds));
    const before = performance.now();
    clang.readHeadersFor(request);
    row("node: the headers are read", seconds(performance.now() - before));
    showKernels("node", await timesOf(requests, (one) => clang.compile(one)));
}

/** Returns the memory of all processes that show pages, in MB. Memory that processes share is divided among them. */
async function rendererMemory(browser) {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const renderers = processInfo.filter(({ type }) => type === "renderer");
    const kilobytes = renderers.map(({ id }) => Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))[1]));
    return Math.max(...kilobytes) / 1000;
}

/** Measures how long a first visitor waits who opens a lesson, and at once presses Run. */
async function firstVerdict(browser, site) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const begin = performance.now();
    await page.goto(site.address + "lesson_03_tiled.html", { waitUntil: "commit" });
    await page.waitForSelector(".your-turn[data-ready]", { timeout: 120000 });
    row(`Chromium, ${megabits} Mbit/s: the editor is there`, seconds(performance.now() - begin));
    await page.locator("button[name=run]").click();
    await page.waitForSelector(".bench[data-outcome=failed][aria-busy=false]", { timeout: 120000 });
    row(`Chromium, ${megabits} Mbit/s: first verdict`, seconds(performance.now() - begin));
    row("Chromium: memory of the page's process", `${Math.round(await rendererMemory(browser))} MB`);
    await page.waitForTimeout(5000);
    row("Chromium: memory five seconds later", `${Math.round(await rendererMemory(browser))} MB`);
    await context.close();
}

async function inBrowser(requests) {
    const script = await scriptOf(pageFolder, "compiler.ts", "compilerPart");
    const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
    const site = await serve(html);
    const page = await (await browser.newContext({ bypassCSP: true })).newPage();
    const open = async () => {
        await page.goto(site.address + "lesson_03_tiled.html", { waitUntil: "commit" });
        await page.waitForLoadState("domcontentloaded");
        await page.addScriptTag({ content: script });
        return page.evaluate(async () => {
            window.compiler = new compilerPart.Compiler();
            await window.compiler.ready;
            const { startTime } = performance.getEntriesByType("paint").find(({ name }) => name === "first-contentful-paint") ?? {};
            return { ready: performance.now(), paint: startTime };
        });
    };
    site.megabits = Number(megabits);
    await firstVerdict(browser, site);
    const { ready, paint } = await open();
    row(`Chromium, ${megabits} Mbit/s: first paint`, seconds(paint));
    row(`Chromium, ${megabits} Mbit/s: compiler ready, first visit`, seconds(ready));
    const [request] = Object.values(requests);
    const compile = (one) => page.evaluate((each) => window.compiler.compile(each), one);
    row("Chromium: the first kernel", seconds((await compile(request)).milliseconds));
    row("Chromium: the second", seconds((await compile(request)).milliseconds));
    showKernels("Chromium", await timesOf(requests, compile));
    const stopped = await page.evaluate(async (one) => {
        window.compiler.compile(one).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 30));
        const begin = performance.now();
        window.compiler.stop();
        const { milliseconds } = await window.compiler.compile(one);
        return performance.now() - begin - milliseconds;
    }, request);
    row("Chromium: stopped, and another thread in its place", `${Math.round(stopped)} ms`);
    await page.waitForTimeout(3000);
    row("Chromium: compiler ready, second visit", seconds((await open()).ready));
    await browser.close();
    await site.close();
}

async function main() {
    const requests = requestsOf(root, path.join(programs, "web_requests"));
    console.log(`${os.cpus().length} cores, ${busy()} other programs want to run`);
    await inNode(requests);
    await inBrowser(requests);
    console.log(`${busy()} programs want to run at the end, this one among them`);
}
main().catch((error) => {
    console.error(error);
    process.exit(1);
});
