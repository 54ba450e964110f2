// Helpers for tests and benchmarks of the pages: a server for the built book, which can be slow or faulty, the
// compiler's sources as scripts, and requests that compile the course's kernels.
"use strict";
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { gzipSync } = require("node:zlib");

const types = {
    ".css": "text/css", ".gz": "application/gzip", ".html": "text/html", ".js": "text/javascript",
    ".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml", ".txt": "text/plain",
    ".woff2": "font/woff2",
};

/** Sends bytes over the line of a site. All responses that are sent at the same time share this line. */
async function send(response, bytes, site) {
    const piece = 16384;
    for (let at = 0; site.megabits && at < bytes.length && !response.destroyed; at += piece) {
        const part = bytes.subarray(at, at + piece);
        site.lineIsFreeAt = Math.max(Date.now(), site.lineIsFreeAt) + part.length / (site.megabits * 125);
        await new Promise((resolve) => setTimeout(resolve, site.lineIsFreeAt - Date.now()));
        response.write(part);
    }
    response.end(site.megabits ? undefined : bytes);
}

const packedTexts = new Map();

/** Returns the file, compressed. Compressing the simulator takes as long as opening a page, so cache the result. */
function packedText(file) {
    const key = `${file} ${fs.statSync(file).mtimeMs}`;
    if (!packedTexts.has(key)) packedTexts.set(key, gzipSync(fs.readFileSync(file)));
    return packedTexts.get(key);
}

/** Returns the response for a file. Texts are compressed, as by GitHub Pages. */
function contentOf(file, site) {
    const type = types[path.extname(file)] ?? "application/octet-stream";
    const isPacked = file.endsWith(".gz");
    const isText = /^text|json|svg/.test(type);
    const bytes = isText ? packedText(file) : fs.readFileSync(file);
    const encoding = isText || (isPacked && site.unpacks) ? { "Content-Encoding": "gzip" } : {};
    return { isPacked, bytes, head: { "Content-Type": type, "Content-Length": bytes.length, "Cache-Control": "max-age=600", ...encoding } };
}

/**
 * Serves a folder below `prefix`, as GitHub Pages does. The returned `site` may be changed at any time: `site.megabits`
 * is the speed of the line in Mbit/s, `site.cut` the number of bytes after which compressed files are cut off, and
 * `site.unpacks` tells the browser to decompress them, as some servers do. `site.requests` lists the requested paths.
 */
async function serve(folder, prefix = "/coalesce/") {
    const site = { folder, megabits: 0, lineIsFreeAt: 0, cut: 0, unpacks: false, requests: [] };
    const sockets = new Set();
    const server = http.createServer((request, response) => {
        const { pathname } = new URL(request.url, "http://localhost");
        site.requests.push(pathname);
        const file = path.join(site.folder, pathname.slice(prefix.length) || "index.html");
        if (!pathname.startsWith(prefix) || !fs.existsSync(file)) return response.writeHead(404).end();
        const { isPacked, bytes, head } = contentOf(file, site);
        response.writeHead(200, head);
        if (isPacked && site.cut) return response.write(bytes.subarray(0, site.cut), () => response.destroy());
        void send(response, bytes, site);
    });
    server.on("connection", (socket) => sockets.add(socket));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    site.address = `http://127.0.0.1:${server.address().port}${prefix}`;
    site.close = () => new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(resolve);
    });
    return site;
}

/** Returns one of the compiler's sources, bundled as a script that defines `name`. npm was run in the folder `page`. */
async function scriptOf(page, source, name) {
    const { build } = await import(path.resolve(page, "node_modules/vite/dist/node/index.js"));
    const entry = path.resolve(page, "src/compiler", source);
    const [{ output }] = await build({
        configFile: false, root: page, logLevel: "error",
        build: { write: false, minify: false, lib: { entry, formats: ["iife"], name } },
    });
    return output[0].code;
}

/** Returns the request to clang for each kernel of the course, by its path. `options` are options of `program`. */
function requestsOf(root, program, options = []) {
    const names = ["solutions", "exercises"].flatMap((part) =>
        fs.readdirSync(path.join(root, part)).flatMap((step) =>
            ["kernel.cu", "hunt.cu"].map((file) => path.join(part, step, file)).filter((file) => fs.existsSync(path.join(root, file)))),
    );
    const requests = JSON.parse(execFileSync(program, [...options, ...names], { cwd: root, maxBuffer: 1 << 28 }));
    return Object.fromEntries(names.map((name, i) => [name, requests[i]]));
}

const median = (numbers) => [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];

module.exports = { serve, scriptOf, requestsOf, median };
