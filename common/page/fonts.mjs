// Copies the book's fonts and their licences from npm packages.
//
//     node fonts.mjs NODE_MODULES FOLDER
//
// The font files contain only Latin letters. common/book/theme/book.css refers to them by file name.

import fs from "node:fs";
import path from "node:path";

const [modules, folder] = process.argv.slice(2);
const sans = "@fontsource-variable/ibm-plex-sans", mono = "@fontsource/ibm-plex-mono";
const files = {
    "sans.woff2": `${sans}/files/ibm-plex-sans-latin-wght-normal.woff2`,
    "mono.woff2": `${mono}/files/ibm-plex-mono-latin-400-normal.woff2`,
    "mono-italic.woff2": `${mono}/files/ibm-plex-mono-latin-400-italic.woff2`,
    "mono-bold.woff2": `${mono}/files/ibm-plex-mono-latin-600-normal.woff2`,
    "sans-licence.txt": `${sans}/LICENSE`,
    "mono-licence.txt": `${mono}/LICENSE`,
};
fs.mkdirSync(folder, { recursive: true });
for (const [name, file] of Object.entries(files)) fs.copyFileSync(path.join(modules, file), path.join(folder, name));
