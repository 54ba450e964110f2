// Each page is one classic script, because a page that is opened from the file system cannot load
// modules. PAGE selects "explorer", "playground", or "your-turn", which is not a page but a script
// and a style sheet for the lessons.
import { defineConfig } from "vite";

const page = process.env.PAGE ?? "explorer";
const isPart = page === "your-turn";

/**
 * The HTML that the pages share. The first line of a page has its title, its script, and scripts that are not modules.
 */
const framed = (html: string) =>
    html.replace(/^<!-- page: (.*?); (.*?); (.*?) -->.*\n([^]*)$/, (_, title: string, entry: string, scripts: string, body: string) => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>Coalesce: ${title}</title>
<link rel="icon" href="data:,"/>
<!-- scripts: ${scripts} -->
<script type="module" src="${entry}"></script>
</head>
<body>
<a class="skip" href="#content">To ${title.toLowerCase()}</a>
<header class="bar">
<a class="name" href="index.html">Coalesce</a>
<div class="tools"><button id="theme" type="button">Dark</button></div>
</header>
${body}</body>
</html>
`);

/** Vite would treat these scripts as modules, so they are inserted after the build. */
const classic = (html: string) =>
    html.replace(/<!-- scripts: ([^>]*?) -->/, (_, names: string) =>
        names.split(" ").map((file) => `<script defer src="./${file}"></script>`).join("\n"),
    );

export default defineConfig({
    base: "./",
    build: {
        modulePreload: false,
        cssCodeSplit: false,
        chunkSizeWarningLimit: 1000, // kB
        emptyOutDir: false,
        rollupOptions: {
            input: isPart ? "src/your_turn/main.ts" : `${page}.html`,
            output: {
                format: "iife",
                entryFileNames: `${page}.js`,
                assetFileNames: `${page}.[ext]`,
            },
        },
    },
    plugins: [
        { name: "frame", transformIndexHtml: { order: "pre", handler: framed } },
        {
            name: "classic-script",
            enforce: "post",
            transformIndexHtml: (html) =>
                classic(html)
                    .replace(/<script type="module" crossorigin/, "<script defer")
                    .replace(/<link rel="stylesheet" crossorigin/, '<link rel="stylesheet"'),
        },
    ],
});
