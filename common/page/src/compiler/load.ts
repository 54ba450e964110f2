// Downloads the compiler once. The browser stores the compressed file in a cache of its own. The file is decompressed
// and compiled during the download.

import type { Progress } from "./compiler";

/** A module on the server. The file name contains the hash of the content, so a cached file is never stale. */
interface ModuleFile {
    file: string;
    bytes: number;
    unpackedBytes: number;
}

/** The contents of compiler/compiler.json, which compiler/pack.mjs writes. */
export interface Manifest {
    version: string;
    module: ModuleFile;
    /** The module with all functions, if `module` lacks some. */
    whole?: ModuleFile;
    headers: { file: string };
}

export interface Loaded {
    /** The URL of the folder that contains compiler.json. */
    folder: string;
    version: string;
    module: WebAssembly.Module;
    /** Whether the module has all functions. A kernel may need one that it lacks. */
    isWhole: boolean;
    /** The text of each header, by its path. */
    headers: Record<string, string>;
}

const cacheName = "coalesce-compiler";

/**
 * Loads the compiler: the whole of it, or only the functions that most kernels need. `folder` is the URL of the folder
 * that contains compiler.json.
 */
export async function load(folder: string, loadsWhole: boolean, onProgress: Progress): Promise<Loaded> {
    const words = loadsWhole ? "This kernel needs the whole compiler, which is being loaded" : "The compiler is being loaded";
    onProgress(0, `${words}.`);
    const manifest = await fetchJson<Manifest>(new URL("compiler.json", folder));
    const headers = fetchJson<Record<string, string>>(new URL(manifest.headers.file, folder));
    const file = (loadsWhole && manifest.whole) || manifest.module;
    const response = await cachedOrFetched(file.file, manifest, folder);
    const report = (done: number, all: number) =>
        onProgress(Math.min(1, done / all), `${words}: ${formatMegabytes(done)} of ${formatMegabytes(all)} MB.`);
    const bytes = await unpackResponse(response, file, report);
    const [module, texts] = await Promise.all([
        WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } })),
        headers,
    ]);
    return { folder, version: manifest.version, module, isWhole: file !== manifest.module || !manifest.whole, headers: texts };
}

async function fetchOrThrow(url: URL): Promise<Response> {
    const response = await fetch(url);
    if (!response.ok || !response.body) throw new Error(`${url.pathname}: ${response.status} ${response.statusText}`);
    return response;
}

async function fetchJson<Content>(url: URL): Promise<Content> {
    return (await fetchOrThrow(url)).json();
}

async function cachedOrFetched(file: string, manifest: Manifest, folder: string): Promise<Response> {
    const url = new URL(file, folder);
    // Pages without HTTPS have no cache, and private windows do not allow access to it.
    const cache = await globalThis.caches?.open(cacheName).catch(() => undefined);
    const kept = await cache?.match(url);
    if (kept?.body) return kept;
    const response = await fetchOrThrow(url);
    if (cache) void storeInCache(cache, url, manifest, folder, response.clone());
    return response;
}

/** Caches the file once it is complete, and deletes older versions. */
async function storeInCache(cache: Cache, url: URL, manifest: Manifest, folder: string, response: Response) {
    const current = [manifest.module, manifest.whole].map((module) => module && new URL(module.file, folder).href);
    try {
        await cache.put(url, response);
        for (const { url: other } of await cache.keys()) {
            if (other.startsWith(folder) && !current.includes(other)) await cache.delete(other);
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
async function unpackResponse(response: Response, { bytes, unpackedBytes }: ModuleFile, report: (done: number, all: number) => void) {
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
            report(done, all);
            next = await reader.read();
        },
        cancel: (reason) => reader.cancel(reason),
    });
    return isPacked ? counted.pipeThrough(new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>) : counted;
}

function formatMegabytes(bytes: number): string {
    return (bytes / 1e6).toFixed(1);
}
