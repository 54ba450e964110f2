// Tests that GitHub Pages can serve the built book, as far as this can be tested without GitHub: checks the files,
// their sizes and types, links from a book in a subfolder, and whether the compiler and the list of cached files match
// the book. The workflow must upload the folder of the book, and must state a major version for each action.
//
//     node artifact.mjs HTML WORKFLOW

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const [html, workflow] = process.argv.slice(2);
const wrong = [];
const expect = (isRight, words) => isRight || wrong.push(words);

// ---- files ----
// GitHub's limits: https://docs.github.com/pages/getting-started-with-github-pages/github-pages-limits. For the
// contents of an artifact, see https://github.com/actions/upload-pages-artifact. A file in a repository may have at
// most 100 MB.
const largestFile = 100e6;
const largestSite = 1e9;
/** File name extensions whose types Pages knows, like any server. The browser's tests check the types that matter. */
const known = [".css", ".gz", ".html", ".js", ".json", ".png", ".svg", ".txt", ".woff2"];

const entries = fs.readdirSync(html, { recursive: true, withFileTypes: true });
const names = [];
let total = 0;
for (const entry of entries) {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const name = path.relative(html, file);
    expect(!entry.name.startsWith("."), `${name}: hidden files are left out of an artifact`);
    if (entry.isDirectory()) continue;
    expect(entry.isFile() && fs.statSync(file).nlink === 1, `${name}: an artifact has files and folders alone, and no links`);
    const { size } = fs.statSync(file);
    expect(size < largestFile, `${name}: ${size} bytes are too many`);
    expect(known.includes(path.extname(name)), `${name}: there is no type for this ending`);
    total += size;
    names.push(name);
}
expect(total < largestSite, `the site has ${total} bytes, which is too much`);
expect(names.length > 100 && names.includes("index.html"), `${html} is no book: it has ${names.length} files`);

// ---- the book served from a subfolder, /coalesce/ ----
let links = 0;
for (const name of names.filter((one) => /\.(html|css|svg)$/.test(one))) {
    const text = fs.readFileSync(path.join(html, name), "utf8").replace(/<script>[^]*?<\/script>/g, "");
    const isLoaded = /<(?:img|script|link|iframe|source)\b[^>]*?\s(?:src|href)="([^"]*)"|\burl\(["']?([^"')]*)/g;
    const isLinked = /\s(?:src|href|xlink:href)="([^"]*)"/g;
    for (const [, one, other] of text.matchAll(isLoaded)) {
        expect(!/^(https?:)?\/\//.test(one ?? other), `${name} loads ${one ?? other}, which is not of the site`);
    }
    for (const [, link] of text.matchAll(isLinked)) {
        links++;
        expect(!link.startsWith("/"), `${name}: the link ${link} works only in the root of a server`);
    }
}
expect(links > 1000, `only ${links} links found`);

// ---- the compiler ----
const manifest = JSON.parse(fs.readFileSync(path.join(html, "compiler/compiler.json"), "utf8"));
const packed = [manifest.module, manifest.whole].filter(Boolean).map(({ file, bytes }) => {
    const name = path.join("compiler", file);
    const size = names.includes(name) ? fs.statSync(path.join(html, name)).size : 0;
    expect(size === bytes, `${name} has ${size} bytes; compiler.json says ${bytes}`);
    return name;
});
expect(names.includes(path.join("compiler", manifest.headers.file)), `compiler/${manifest.headers.file} is missing`);
expect(names.includes("compiler/LICENSE.txt"), "compiler/LICENSE.txt is missing");
expect(manifest.module.bytes < 10e6, `${manifest.module.file}: ${manifest.module.bytes} bytes take too long to load; does profile.mjs have to run again?`);
expect(names.filter((name) => name.endsWith(".gz")).length === packed.length, "there are packed files that compiler.json does not name");

// ---- the cached files ----
const script = fs.readFileSync(path.join(html, "service_worker.js"), "utf8");
const book = JSON.parse(/^const \{ version, files \} = (\{[^]*?\n\});$/m.exec(script)[1]);
expect(fs.readFileSync(path.join(html, "version.txt"), "utf8").trim() === book.version, "version.txt is of another version");
for (const name of names) {
    if (["service_worker.js", "version.txt", "own-exercises.js", ...packed].includes(name)) continue;
    const hash = createHash("sha256").update(fs.readFileSync(path.join(html, name))).digest("hex");
    expect(hash.startsWith(book.files[name] ?? "none"), `${name} is not what service_worker.js has in its list`);
}
for (const name of Object.keys(book.files)) expect(names.includes(name), `${name}, of service_worker.js's list, is missing`);

// ---- the workflow ----
const steps = fs.readFileSync(workflow, "utf8");
const uses = [...steps.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
for (const action of uses) expect(/^actions\/[a-z-]+@v\d+$/.test(action), `${workflow}: ${action} is no official action of a major version`);
for (const action of ["upload-pages-artifact", "deploy-pages"]) {
    expect(uses.some((one) => one.startsWith(`actions/${action}@`)), `${workflow} does not use ${action}`);
}
expect(/upload-pages-artifact@v\d+\n\s+with:\n\s+path: build\/docs\/html\n/.test(steps), `${workflow} does not upload build/docs/html`);
for (const right of ["pages: write", "id-token: write", "name: github-pages"]) {
    expect(steps.includes(right), `${workflow} lacks "${right}", which deploy-pages asks for`);
}

for (const words of wrong) console.log(`WRONG  ${words}`);
console.log(`${names.length} files, ${(total / 1e6).toFixed(1)} MB, ${links} links: ${wrong.length} faults`);
process.exit(wrong.length ? 1 : 0);
