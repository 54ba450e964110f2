// Downloads the compiler once. The browser stores the compressed file in a cache of its own. The file is decompressed
// and compiled during the download.

import type { Progress } from "./compiler";

/** The contents of compiler/compiler.json, which compiler/pack.mjs writes. */
export interface Manifest {
    version: string;
    /** The file name contains the hash of the content, so a cached file is never stale. */
    module: { file: string; bytes: number; unpackedBytes: number };
    headers: { file: string };
}

export interface Loaded {
    version: string;
    module: WebAssembly.Module;
    /** The text of each header, by its path. */
    headers: Record<string, string>;
}

const cacheName = "coalesce-compiler";

/** Loads the compiler. `folder` is the URL of the folder that contains compiler.json. */
export async function load(folder: string, onProgress: Progress): Promise<Loaded> {
    onProgress(0, "The compiler is being loaded.");
    const manifest = await fetchJson<Manifest>(new URL("compiler.json", folder));
    const headers = fetchJson<Record<string, string>>(new URL(manifest.headers.file, folder));
    const response = await cachedOrFetched(new URL(manifest.module.file, folder), folder);
    const bytes = await unpackResponse(response, manifest.module, onProgress);
    const [module, texts] = await Promise.all([
        WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } })),
        headers,
    ]);
    return { version: manifest.version, module, headers: texts };
}

async function fetchOrThrow(url: URL): Promise<Response> {
    const response = await fetch(url);
    if (!response.ok || !response.body) throw new Error(`${url.pathname}: ${response.status} ${response.statusText}`);
    return response;
}

async function fetchJson<Content>(url: URL): Promise<Content> {
    return (await fetchOrThrow(url)).json();
}

async function cachedOrFetched(url: URL, folder: string): Promise<Response> {
    // Pages without HTTPS have no cache, and private windows do not allow access to it.
    const cache = await globalThis.caches?.open(cacheName).catch(() => undefined);
    const kept = await cache?.match(url);
    if (kept?.body) return kept;
    const response = await fetchOrThrow(url);
    if (cache) void storeInCache(cache, url, folder, response.clone());
    return response;
}

/** Caches the file once it is complete, and deletes older versions. */
async function storeInCache(cache: Cache, url: URL, folder: string, response: Response) {
    try {
        await cache.put(url, response);
        for (const { url: other } of await cache.keys()) {
            if (other.startsWith(folder) && other !== url.href) await cache.delete(other);
        }
    } catch {
        // Storing failed, because there is no space left or the file is incomplete. The next visit downloads the file
        // again.
    }
}

/**
 * Decompresses the module, unless the browser has already done so because the server declared the file as gzip. The
 * first bytes show whether the file is still compressed.
 */
async function unpackResponse(response: Response, { bytes, unpackedBytes }: Manifest["module"], onProgress: Progress) {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let next = await reader.read();
    const isPacked = next.value?.[0] === 0x1f && next.value[1] === 0x8b;
    const all = isPacked ? bytes : unpackedBytes;
    let done = 0;
    const counted = new ReadableStream<Uint8Array>({
        async pull(controller) {
            if (next.done) return controller.close();
            controller.enqueue(next.value);
            done += next.value.length;
            onProgress(Math.min(1, done / all), `The compiler is being loaded: ${formatMegabytes(done)} of ${formatMegabytes(all)} MB.`);
            next = await reader.read();
        },
        cancel: (reason) => reader.cancel(reason),
    });
    return isPacked ? counted.pipeThrough(new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>) : counted;
}

function formatMegabytes(bytes: number): string {
    return (bytes / 1e6).toFixed(1);
}
