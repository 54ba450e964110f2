// Writes the files that let the book work offline: service_worker.js, which contains the list of the book's files, and
// version.txt, which shows whether this list is up to date.
//
//     node write.mjs FOLDER
//
// FOLDER contains the complete book. Existing versions of the two files are replaced.

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

const folder = process.argv[2];
const written = ["service_worker.js", "version.txt"];
const hashOf = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 12);

const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const names = entries.map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)));
// Omit the compressed files of the compiler, which src/compiler/load.ts caches, and own-exercises.js, which `./learn
// play` generates again for each request.
const kept = names.filter((name) => !written.includes(name) && !name.endsWith(".gz") && name !== "own-exercises.js").sort();
const files = Object.fromEntries(kept.map((name) => [name, hashOf(fs.readFileSync(path.join(folder, name)))]));
const script = fs.readFileSync(new URL("service_worker.js", import.meta.url), "utf8");
// Include the script's own text in the hash, so that a change to the script also results in a new version.
const version = hashOf(JSON.stringify(files) + script);

const book = JSON.stringify({ version, files }, null, 1);
fs.writeFileSync(path.join(folder, "service_worker.js"), script.replace("= BOOK;", () => `= ${book};`));
fs.writeFileSync(path.join(folder, "version.txt"), version + "\n");
