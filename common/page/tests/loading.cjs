// Tests the compiler in the page, in a headless browser: the compiler loads, compiles and can be stopped. After the
// first visit, the whole book must open without a network. ./learn play serves the book.
//
//     node loading.cjs HTML PAGE ROOT CHROMIUM BIN [PART OF A TEST'S NAME]
//
// HTML is the book, PAGE the folder in which npm was run, and ROOT the repository. BIN contains learn and web_requests.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync, spawn } = require("node:child_process");
const { once } = require("node:events");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { median, requestsOf, scriptOf, serve } = require("./site.cjs");
const { runTests, sampled, test: addTest, wholeTest: addWholeTest } = require("./pages.cjs");

const [html, pageFolder, root, browserPath, programs, only = ""] = process.argv.slice(2);
/** A text that needs a function of clang which few kernels need. */
const RARE_TEXT = "__device__ _BitInt(77) wide(_BitInt(77) a) { return a * a / 3; }\n";
let compilerScript, requests, browser;
const inBrowser = (run) => (opened) => {
    browser = opened;
    return run();
};
const test = (name, run) => addTest(name, inBrowser(run));
const wholeTest = (name, run) => addWholeTest(name, inBrowser(run));

/** Opens a separate window, which shares no data with other windows. */
async function newWindow(options = {}) {
    // The content security policy of the pages would block the script that loads the compiler.
    const context = await browser.newContext({ bypassCSP: true, ...options });
    const page = await context.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(`error: ${error}`));
    page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
    return { context, page, faults };
}

/** Opens a page of the book and loads the compiler in it. Returns the progress messages and the error, if any. */
async function load(page, address) {
    await page.goto(address);
    await page.addScriptTag({ content: compilerScript });
    return page.evaluate(async () => {
        const told = [];
        const begin = performance.now();
        window.compiler = new compilerPart.Compiler((part, words) => told.push({ part, words }));
        const failure = await window.compiler.ready.then(() => "", (error) => error.message);
        return { told, failure, seconds: (performance.now() - begin) / 1000, version: window.compiler.version };
    });
}

let knownWindow;
/**
 * Calls `use` with a page in which the compiler was loaded again, so that nothing has been compiled yet. All such tests
 * share one window, because loading takes longer if the compiler is not cached.
 */
async function withCompiler(use) {
    knownWindow ??= { ...(await newWindow()), site: await serve(html) };
    const { page, faults, site } = knownWindow;
    assert.equal((await load(page, site.address + "index.html")).failure, "");
    await use(page);
    assert.deepEqual(faults, []);
}

const compile = (page, request) => page.evaluate((one) => window.compiler.compile(one), request);
const keptPages = (page) => page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 50));
});
const keptModule = (page) => page.evaluate(async () => {
    for (let i = 0; i < 200; i++, await new Promise((resolve) => setTimeout(resolve, 50))) {
        const keys = await (await caches.open("coalesce-compiler")).keys();
        if (keys.length) return keys.map(({ url }) => url);
    }
    return [];
});

/** Copies the book, so that a test may change it. */
function copyOfBook() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "coalesce-book-"));
    fs.cpSync(html, folder, { recursive: true });
    return folder;
}
const writeVersion = (folder) =>
    execFileSync(process.execPath, [path.join(root, "common/page/service_worker/write.mjs"), folder]);

test("the first visit loads the compiler and shows its progress, after which every page opens without a network", async () => {
    const site = await serve(html);
    const { context, page, faults } = await newWindow();
    const { told, failure, version } = await load(page, site.address + "index.html");
    assert.equal(failure, "");
    assert.match(version, /^clang \d+\.\d+\.\d+$/);
    const parts = told.map(({ part }) => part);
    assert.ok(parts.length > 5, `told ${parts.length} times`);
    assert.equal(parts[0], 0);
    assert.equal(parts.at(-1), 1);
    for (let i = 1; i < parts.length; i++) assert.ok(parts[i] >= parts[i - 1], `${parts[i - 1]}, then ${parts[i]}`);
    assert.match(told.find(({ part }) => part > 0 && part < 1).words, /^The compiler is being loaded: \d+\.\d of \d\.\d MB\.$/);
    const { ir, said } = await compile(page, requests["solutions/04_padded/kernel.cu"]);
    assert.match(ir, /define .*void @_Z9transpose/, said);

    await keptPages(page);
    assert.equal((await keptModule(page)).length, 1);
    for (const asked of site.requests) assert.ok(asked.startsWith("/coalesce/"), `${asked} is outside of the book`);
    assert.equal(site.requests.filter((asked) => asked.endsWith(".gz")).length, 1, "the compiler is fetched once");
    await site.close();
    const second = await load(page, site.address + "explorer.html");
    assert.equal(second.failure, "");
    assert.equal((await compile(page, requests["solutions/04_padded/kernel.cu"])).ir, ir, "the same without a network");
    await page.goto(site.address);
    const links = await page.$$eval("#sidebar a:not([href^='#'])", (all) => all.map((link) => link.getAttribute("href")));
    assert.ok(links.length >= 15, `only ${links.length} pages`);
    const kept = await page.evaluate(async () => {
        const names = (await caches.keys()).filter((name) => name.startsWith("coalesce-book"));
        const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
        return all.flat().map(({ url }) => url.split("?")[0]);
    });
    for (const link of links) assert.ok(kept.includes(new URL(link, site.address).href), `${link} is not cached`);
    for (const link of sampled(links, 6)) {
        await page.goto(new URL(link, site.address).href);
        assert.equal(await page.locator("h1").count(), 1, `${link} has no title without a network`);
    }
    assert.deepEqual(faults.filter((fault) => !/ERR_CONNECTION_REFUSED/.test(fault)), []);
    await context.close();
});

test("every kernel of the course compiles to the same IR with and without precompiled headers", async () => withCompiler(async (page) => {
    const numbers = /^(!\d+ = )!\{(i64 \d+(, )?)+\}$/gm; // positions of inline assembly, which may differ
    const took = [];
    const names = Object.keys(requests);
    assert.ok(names.length >= 50, `only ${names.length} kernels`);
    for (const name of sampled(names, 12)) {
        const [plain, again] = await page.evaluate(async (request) => {
            // If a request contains files besides the kernel, the compiler parses the headers as text. Otherwise, it
            // uses the precompiled headers, except for the first such request.
            const one = await window.compiler.compile({ ...request, files: { ...request.files, "more.txt": "" } });
            await window.compiler.compile(request);
            return [one, await window.compiler.compile(request)];
        }, requests[name]);
        assert.ok(plain.ir, `${name}: ${plain.said}`);
        assert.equal(again.ir.replace(numbers, "$1"), plain.ir.replace(numbers, "$1"), name);
        assert.equal(again.said, plain.said, name);
    }
    for (const name of sampled(names, 4)) {
        const { ir, said, milliseconds } = await compile(page, requests[name]);
        assert.ok(ir, `${name}: ${said}`);
        took.push(milliseconds);
    }
    console.log(`    ${took.length} kernels: median ${Math.round(median(took))} ms`);
}));

test("errors and notes are the same with and without precompiled headers", async () => withCompiler(async (page) => {
    const good = requests["solutions/02_naive/kernel.cu"];
    const [[input, text]] = Object.entries(good.files);
    const bad = { ...good, files: { [input]: text.replace(/void transpose.*\{\n/, "$&    float4 four = in[0]; min(1, 2, 3); strange();\n") } };
    const first = await compile(page, bad);
    const second = await compile(page, bad);
    assert.equal(first.ir, null);
    assert.match(first.said, /^\S*kernel\.cu:\d+:\d+: error: use of undeclared identifier 'strange'/m);
    assert.match(first.said, /^include\/coalesce_cuda\/\w+\.h:\d+:\d+: note: /m);
    assert.equal(second.said, first.said);
    assert.ok((await compile(page, good)).ir, "the next compilation succeeds after an error");
}));

test("code nested too deeply for the page's stack is reported, and the next compilation succeeds", async () => withCompiler(async (page) => {
    const good = requests["solutions/02_naive/kernel.cu"];
    const [[input, text]] = Object.entries(good.files);
    const depth = (levels) =>
        "template <int N> struct Deep { static constexpr int v = Deep<N - 1>::v + 1; };\n" +
        `template <> struct Deep<0> { static constexpr int v = 0; };\nstatic_assert(Deep<${levels}>::v == ${levels});\n`;
    assert.ok((await compile(page, { ...good, files: { [input]: text + depth(100) } })).ir, "a depth that a kernel may need");
    const deep = await compile(page, { ...good, files: { [input]: text + depth(1000) } });
    assert.equal(deep.ir, null);
    assert.match(deep.said, /^error: templates, calls or brackets are nested too deeply/m);
    assert.ok((await compile(page, good)).ir);
}));

test("one button on the front page keeps all pages and the whole compiler for use offline", async () => {
    const site = await serve(html);
    const { context, page, faults } = await newWindow();
    await page.goto(site.address + "index.html");
    await page.locator(".offline button").click();
    await page.waitForFunction(() => /works offline/.test(document.querySelector(".offline").textContent), null, { timeout: 60000 });
    await keptPages(page);
    await site.close();
    assert.equal((await load(page, site.address + "lesson_03_tiled.html")).failure, "");
    const [[input, text]] = Object.entries(requests["solutions/02_naive/kernel.cu"].files);
    const { ir, said } = await compile(page, { ...requests["solutions/02_naive/kernel.cu"], files: { [input]: text + RARE_TEXT } });
    assert.ok(ir, said);
    assert.deepEqual(faults.filter((fault) => !/ERR_CONNECTION_REFUSED/.test(fault)), []);
    await context.close();
});

test("a kernel that needs a function which the first compiler lacks gets the whole compiler", async () => {
    const site = await serve(html);
    const { context, page, faults } = await newWindow();
    assert.equal((await load(page, site.address + "index.html")).failure, "");
    const good = requests["solutions/02_naive/kernel.cu"];
    const [[input, text]] = Object.entries(good.files);
    const rare = { ...good, files: { [input]: text + RARE_TEXT } };
    const packed = () => site.requests.filter((asked) => asked.endsWith(".gz")).length;
    assert.ok((await compile(page, good)).ir);
    assert.equal(packed(), 1);
    const { ir, said } = await compile(page, rare);
    assert.ok(ir, said);
    assert.equal(packed(), 2);
    // A worker that takes the place of a stopped one has the whole compiler too.
    await page.evaluate(async (one) => {
        window.compiler.compile(one).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 30));
        window.compiler.stop();
    }, rare);
    assert.equal((await compile(page, rare)).ir, ir);
    assert.equal(packed(), 2);
    assert.deepEqual(faults, []);
    await context.close();
    await site.close();
});

test("a long compilation can be stopped, and the next compilation starts at once", async () => withCompiler(async (page) => {
    const good = requests["solutions/02_naive/kernel.cu"];
    const [[input, text]] = Object.entries(good.files);
    const loop = "constexpr int f() { int s = 0; for (int i = 0; i < 1000; ++i) for (int j = 0; j < 900; ++j) s ^= i * j; return s; }\n";
    const slow = { ...good, files: { [input]: text + loop + "static_assert(f() == 1);\n".repeat(400) } };
    await compile(page, good);
    const outcome = await page.evaluate(async ([request, next]) => {
        const { compiler } = window;
        const rejected = compiler.compile(request).catch((error) => error instanceof compilerPart.CompilationStopped);
        const waits = compiler.compile(next).catch((error) => error instanceof compilerPart.CompilationStopped);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const begin = performance.now();
        compiler.stop();
        const stopped = [await rejected, await waits];
        const { ir } = await compiler.compile(next);
        return { stopped, milliseconds: performance.now() - begin, isCompiled: ir !== null };
    }, [slow, good]);
    assert.deepEqual(outcome.stopped, [true, true]);
    assert.ok(outcome.isCompiled);
    console.log(`    from stop() to the next kernel's IR: ${Math.round(outcome.milliseconds)} ms`);
}));

test("a new version replaces the old one at once, and only changed files are fetched", async () => {
    const site = await serve(copyOfBook());
    const { context, page } = await newWindow();
    writeVersion(site.folder);
    await page.goto(site.address + "index.html");
    await keptPages(page);
    const glossary = path.join(site.folder, "glossary.html");
    fs.writeFileSync(glossary, fs.readFileSync(glossary, "utf8").replace(/<h1[^>]*>/, "$&Newer: "));
    writeVersion(site.folder);
    site.requests.length = 0;
    const shown = async () => {
        await page.goto(site.address + "glossary.html");
        return page.locator("h1").textContent();
    };
    // The server lets the browser cache a page for ten minutes, so the service worker must bypass the browser's cache.
    await page.goto(site.address + "index.html");
    const isTaken = () => page.evaluate(async (name) => {
        for (const cache of await caches.keys()) {
            const { length } = (await (await caches.open(cache)).keys()).filter(({ url }) => url.includes(name));
            if (cache.startsWith("coalesce-book") && length === 1) return length;
        }
        return 0;
    }, "glossary.html");
    for (let i = 0; i < 100 && !site.requests.some((asked) => asked.endsWith("glossary.html")); i++) await page.waitForTimeout(50);
    for (let i = 0; i < 100 && (await isTaken()) !== 1; i++) await page.waitForTimeout(50);
    const fetched = site.requests.filter((asked) => !/(index\.html|service_worker\.js|version\.txt|book\.(js|css))$/.test(asked));
    assert.deepEqual(fetched, ["/coalesce/glossary.html"], "only changed files are fetched");
    assert.match(await shown(), /^Newer: /);
    await site.close();
    assert.match(await shown(), /^Newer: /, "the new version is cached");
    assert.equal(await isTaken(), 1, "the old version is gone");
    fs.rmSync(site.folder, { recursive: true });
    await context.close();
});

wholeTest("during a deployment, the cached book stays consistent", async () => {
    const site = await serve(copyOfBook());
    const { context, page } = await newWindow();
    writeVersion(site.folder);
    await page.goto(site.address + "index.html");
    await keptPages(page);
    const glossary = path.join(site.folder, "glossary.html");
    const before = fs.readFileSync(glossary, "utf8");
    fs.writeFileSync(glossary, before.replace(/<h1[^>]*>/, "$&Newer: "));
    writeVersion(site.folder);
    fs.writeFileSync(glossary, before.replace(/<h1[^>]*>/, "$&Neither: "));
    await page.goto(site.address + "index.html");
    await page.waitForTimeout(1500);
    await site.close();
    await page.goto(site.address + "glossary.html");
    assert.doesNotMatch(await page.locator("h1").textContent(), /Newer|Neither/);
    fs.rmSync(site.folder, { recursive: true });
    await context.close();
});

test("the compiler loads without a service worker or a cache, and without errors", async () => {
    const site = await serve(html);
    const { context, page, faults } = await newWindow({ serviceWorkers: "block" });
    await page.addInitScript(() => {
        delete window.caches;
        Object.defineProperty(window, "caches", { value: undefined });
    });
    const { failure } = await load(page, site.address + "lesson_03_tiled.html");
    assert.equal(failure, "");
    assert.ok((await compile(page, requests["solutions/02_naive/kernel.cu"])).ir);
    assert.deepEqual(faults, []);
    await context.close();
    await site.close();
});

wholeTest("the compiler loads from a server that decompresses files", async () => {
    const site = await serve(html);
    site.unpacks = true;
    const { context, page, faults } = await newWindow();
    const { failure, told } = await load(page, site.address + "index.html");
    assert.equal(failure, "");
    assert.match(told.at(-2).words, /of 2\d\.\d MB/);
    assert.deepEqual(faults, []);
    await context.close();
    await site.close();
});

test("an interrupted download is reported, is not cached, and can be retried", async () => {
    const site = await serve(html);
    site.cut = 5_000_000;
    const { context, page } = await newWindow();
    const { failure } = await load(page, site.address + "index.html");
    assert.match(failure, /^The compiler could not be loaded \(.+\)\. Press Run to try again\.$/);
    assert.deepEqual(await page.evaluate(async () => (await (await caches.open("coalesce-compiler")).keys()).length), 0);
    site.cut = 0;
    assert.equal((await load(page, site.address + "index.html")).failure, "");
    await context.close();
    await site.close();
});

test("on a page opened from the file system, the compiler is not requested, and the message names ./learn play", async () => {
    const { context, page, faults } = await newWindow();
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    const { failure, told } = await load(page, pathToFileURL(path.resolve(html, "index.html")).href);
    assert.match(failure, /\.\/learn play/);
    assert.deepEqual(told.map(({ part }) => part), [null]);
    assert.deepEqual(asked.filter((url) => /compiler|service_worker/.test(url)), []);
    assert.deepEqual(faults, []);
    await context.close();
});

test("./learn play serves the compiler at the loopback address, and cached pages open after it has ended", async () => {
    const played = spawn(path.join(programs, "learn"), ["play", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
    const [printed] = await once(played.stdout, "data");
    const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(printed))?.[0];
    assert.ok(address, `it printed: ${printed}`);
    const { context, page, faults } = await newWindow();
    const { failure } = await load(page, address);
    assert.equal(failure, "");
    assert.ok((await compile(page, requests["solutions/02_naive/kernel.cu"])).ir);
    await keptPages(page);
    await keptModule(page);
    played.kill("SIGINT");
    await once(played, "exit");
    assert.equal((await load(page, address + "lesson_04_padded.html")).failure, "");
    assert.ok((await compile(page, requests["solutions/02_naive/kernel.cu"])).ir);
    assert.deepEqual(faults.filter((fault) => !/ERR_CONNECTION_REFUSED/.test(fault)), []);
    await context.close();
});

test("./learn play uses another port if the usual one is taken, but fails if the requested one is taken", async () => {
    const others = net.createServer();
    // Another program may already use this port.
    await new Promise((resolve) => others.once("listening", resolve).once("error", resolve).listen(8237, "127.0.0.1"));
    const played = spawn(path.join(programs, "learn"), ["play"]);
    let printed = "";
    while (!/Ctrl-C/.test(printed)) printed += (await once(played.stdout, "data"))[0];
    assert.match(printed, /port 8237 of 127\.0\.0\.1 is taken, so another port is used/);
    const [, port] = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(printed);
    assert.notEqual(port, "8237");
    const chosen = spawn(path.join(programs, "learn"), ["play", "--port", port]);
    let said = "";
    chosen.stderr.on("data", (bytes) => (said += bytes));
    assert.equal((await once(chosen, "exit"))[0], 2);
    assert.match(said, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is taken; --port 0 uses a free port`));
    played.kill("SIGINT");
    await once(played, "exit");
    others.close();
});

async function main() {
    compilerScript = await scriptOf(pageFolder, "compiler.ts", "compilerPart");
    requests = requestsOf(root, path.join(programs, "web_requests"));
    await runTests(browserPath, only);
}
main();
