// Saves a learner's work (the kernel's text and .learn/state.json) to files, and loads it from files.

import { countOf } from "../words";
import type { EarlierText, Progress } from "./progress";

const markup = `<summary>Your work</summary>
<p class="kept"></p>
<div class="tools"><button type="button" name="save-text"></button><button type="button" name="save-state">Save my progress</button>
<label class="file">Open <input type="file" accept=".cu,.json" multiple/></label></div>
<p class="standing" role="status"></p>
<ul class="earlier"></ul>`;

export class TransferPart {
    private file = "";
    private text: () => string = () => "";

    constructor(
        private readonly root: HTMLElement,
        private readonly progress: Progress,
        /** A function that is called with the text of a kernel that has been loaded. */
        private readonly read: (text: string) => void,
        /** A function that is called after progress has been loaded. */
        private readonly taken: () => void,
    ) {
        root.innerHTML = markup;
        this.find("button[name=save-text]").addEventListener("click", () => this.save(this.file.split("/").pop() as string, this.text()));
        this.find("button[name=save-state]").addEventListener("click", () => this.save("state.json", progress.exported()));
        const input = this.find<HTMLInputElement>("input");
        input.addEventListener("change", async () => {
            for (const file of input.files ?? []) await this.take(file);
            input.value = "";
        });
    }

    /**
     * Prepares the part for an exercise. `file` is the path of the learner's file in the course's folder, and `text`
     * returns the file's content.
     */
    show(file: string, text: () => string) {
        this.file = file;
        this.text = text;
        this.find("button[name=save-text]").textContent = "Save this text";
        this.find(".kept").textContent =
            this.progress.problem ||
            "This browser stores your text and your progress. Save both to continue in another browser, or in a copy of the course.";
    }

    /** Lists the earlier texts, and calls `bring` with the text that the learner restores. */
    showEarlier(texts: EarlierText[], bring: (text: string) => void) {
        const items = texts.map(({ text, at }) => {
            const item = document.createElement("li");
            const button = document.createElement("button");
            Object.assign(button, { type: "button", textContent: "Restore" });
            button.addEventListener("click", () => bring(text));
            item.append(`${new Date(at).toLocaleString()}, ${countOf(text.trimEnd().split("\n").length, "line")} `, button);
            return item;
        });
        this.find(".earlier").replaceChildren(...items);
    }

    private find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    private async take(file: File) {
        const say = (words: string) => (this.find(".standing").textContent = words);
        try {
            const text = await file.text();
            if (file.name.endsWith(".json")) {
                this.progress.take(text);
                this.taken();
                say("Your progress was imported into this browser.");
            } else {
                this.read(text);
                say(`${file.name} is in the editor.`);
            }
        } catch (error) {
            say((error as Error).message);
        }
    }

    private save(name: string, text: string) {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
        link.download = name;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
}
