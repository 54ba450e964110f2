// One classic script: a page that is opened from the file system may not load modules.
import { defineConfig } from "vite";

const before = ["course-data.js", "simulator.js"]
    .map((file) => `<script defer src="./${file}"></script>`)
    .join("\n");

export default defineConfig({
    base: "./",
    build: {
        modulePreload: false,
        cssCodeSplit: false,
        rollupOptions: {
            input: "explorer.html",
            output: {
                format: "iife",
                entryFileNames: "explorer.js",
                assetFileNames: "explorer.[ext]",
            },
        },
    },
    plugins: [
        {
            name: "classic-script",
            enforce: "post",
            transformIndexHtml: (html) =>
                html
                    .replace(/<!-- course-data.js[^>]*-->/, before)
                    .replace(/<script type="module" crossorigin/, "<script defer")
                    .replace(/<link rel="stylesheet" crossorigin/, '<link rel="stylesheet"'),
        },
    ],
});
