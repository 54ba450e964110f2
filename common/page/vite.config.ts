// Each page has one classic script, because a page that is opened from the file system cannot load modules. PAGE
// selects the page: "explorer", "playground", or "your-turn" (the script and the style sheet of the lessons).
// common/book generates the HTML around them.
import { defineConfig } from "vite";

const entries: Record<string, string> = {
    explorer: "src/main.ts",
    playground: "src/playground/main.ts",
    "your-turn": "src/your_turn/main.ts",
};
const page = process.env.PAGE ?? "explorer";

export default defineConfig({
    base: "./",
    build: {
        modulePreload: false,
        cssCodeSplit: false,
        chunkSizeWarningLimit: 1000, // kB
        emptyOutDir: false,
        rollupOptions: {
            input: entries[page],
            output: {
                format: "iife",
                entryFileNames: `${page}.js`,
                assetFileNames: `${page}.[ext]`,
            },
        },
    },
});
