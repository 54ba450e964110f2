// Caches the book in the browser, so that after the first visit all of it works offline. All pages
// in the cache are of the same version.
//
// write.mjs replaces BOOK with the list of the files and their hashes, so this file changes whenever
// one of them does. The browser then detects a new version and fetches the changed files. The old
// version is replaced only when the new one is complete. The compiler is not in the list. It is
// loaded with a progress bar, and src/compiler/load.ts caches it.
"use strict";

const { version, files } = BOOK;
const root = new URL("./", location.href).href;
const cacheName = `coalesce-book ${root}`;

// ---- installing a version ----

const addressOf = (name) => new URL(name, root).href;
/** Returns the key of a file in the cache. If the content changes, so does the key. */
const keyOf = (name) => `${addressOf(name)}?${files[name]}`;

async function hashOf(bytes) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return [...hash.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function take(cache, name) {
    const response = await fetch(addressOf(name), { cache: "no-cache" });
    const bytes = await response.arrayBuffer();
    // During a deployment, the server may have files of two versions. The browser tries again at
    // the next visit.
    if (!response.ok || (await hashOf(bytes)) !== files[name]) throw new Error(`${name} is not of this version`);
    await cache.put(keyOf(name), new Response(bytes, { headers: { "Content-Type": response.headers.get("Content-Type") ?? "" } }));
}

async function takeAll() {
    const cache = await caches.open(cacheName);
    const kept = new Set((await cache.keys()).map(({ url }) => url));
    const missing = Object.keys(files).filter((name) => !kept.has(keyOf(name)));
    // Fetch only a few files at a time, because the reader's page is loading too.
    const takeNext = async () => {
        for (let name; (name = missing.pop()) !== undefined; ) await take(cache, name);
    };
    await Promise.all(Array.from({ length: 4 }, takeNext));
}

async function dropOthers() {
    const cache = await caches.open(cacheName);
    const ours = new Set(Object.keys(files).map(keyOf));
    for (const request of await cache.keys()) if (!ours.has(request.url)) await cache.delete(request);
}

addEventListener("install", (event) => event.waitUntil(takeAll().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(dropOthers().then(() => clients.claim())));

// ---- answering requests ----

/**
 * Whether the cached version is the newest. If it is not, requests go to the network until the newer version replaces
 * it.
 */
let isCurrent = true;

/** Checks for a newer version when a page is opened. Uses the cached version if the server does not answer soon. */
async function askWhetherCurrent() {
    try {
        const response = await fetch(addressOf("version.txt"), { cache: "no-store", signal: AbortSignal.timeout(1500) });
        isCurrent = !response.ok || (await response.text()).trim() === version;
        if (!isCurrent) void registration.update().catch(() => {});
    } catch {
        isCurrent = true;
    }
}

/** Returns the name of the listed file that a request is for, or undefined if the file is not listed. */
function nameOf({ method, url }) {
    if (method !== "GET" || !url.startsWith(root)) return undefined;
    const name = decodeURIComponent(new URL(url).pathname.slice(new URL(root).pathname.length)) || "index.html";
    return Object.hasOwn(files, name) ? name : undefined;
}

async function answer(request, name) {
    if (request.mode === "navigate") await askWhetherCurrent();
    const kept = async () => (await caches.open(cacheName)).match(keyOf(name));
    if (isCurrent) return (await kept()) ?? fetch(request);
    return fetch(request).catch(async (error) => (await kept()) ?? Promise.reject(error));
}

addEventListener("fetch", (event) => {
    // A newer version is complete and waits until this worker ends. Chromium may end this worker in the middle of an
    // answer, for which the page would wait forever, so leave the request to the network.
    if (registration.waiting) return;
    const name = nameOf(event.request);
    if (name !== undefined) event.respondWith(answer(event.request, name));
});
