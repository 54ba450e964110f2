// Each page is one classic script: a page that is opened from the file system may not load modules. PAGE says which:
// "explorer", "playground", or "your-turn", which is no page but a script and a style sheet of the lessons.
import { defineConfig } from "vite";

const page = process.env.PAGE ?? "explorer";
const isPart = page === "your-turn";

/** The scripts that a page names in a comment: they are no modules. */
const classic = (html: string) =>
    html.replace(/<!-- scripts: ([^>]*?) -->.*/g, (_, names: string) =>
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
