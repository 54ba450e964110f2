// The picture on the front page: 32 lanes of a warp read a column of a tile in shared memory, and the reader chooses
// how many floats a row of the tile has. Words in the same bank are delivered one after the other.
"use strict";

const LANES = 32;
const BANKS = 32;
const CELL = 11;
/** The time in milliseconds for which one wavefront is shown, and for which words move to other banks. */
const TICK = 70;
const MOVE = 450;

/** The column that the lanes read, and the largest number of floats in a row. */
const COLUMN = 5;
const LONGEST = 36;

/** Returns the word that each lane reads. Each of these words is in a row of its own. */
const wordsFor = (width) => Array.from({ length: LANES }, (_, lane) => lane * width + COLUMN);

/**
 * Returns, for each word, the index of the wavefront that delivers it. A bank delivers one word per
 * wavefront.
 */
function wavefrontsOf(words) {
    const busy = new Array(BANKS).fill(0);
    return words.map((word) => busy[word % BANKS]++);
}

const place = (word) => `translate(${(word % BANKS) * CELL}px, ${Math.floor(word / BANKS) * CELL}px)`;

function markup(rows) {
    const across = BANKS * CELL;
    const columns = Array.from({ length: BANKS }, (_, bank) => `<rect class="bank" x="${bank * CELL}" width="${CELL - 1}" height="${rows * CELL - 1}"/>`);
    const words = Array.from({ length: LANES }, () => `<rect class="word" width="${CELL - 1}" height="${CELL - 1}" rx="1.5"/>`);
    return `<label for="row-length">Floats in a row of the tile <output></output></label>
<input id="row-length" type="range" min="32" max="${LONGEST}" value="32"/>
<svg viewBox="0 0 ${across - 1} ${rows * CELL - 1}" role="img" aria-label="Shared memory, 32 banks wide, with the words that 32 lanes read">${columns.join("")}${words.join("")}</svg>
<p class="bank-count" aria-hidden="true"><b></b> <span></span></p>
<p class="bank-words" role="status"></p>`;
}

class BankToy {
    constructor(root) {
        this.root = root;
        this.lessons = JSON.parse(root.dataset.lessons ?? "{}");
        root.innerHTML = markup(Math.floor(Math.max(...wordsFor(LONGEST)) / BANKS) + 1);
        this.words = [...root.querySelectorAll(".word")];
        this.slider = root.querySelector("input");
        this.slider.addEventListener("input", () => this.show());
        const seen = new IntersectionObserver((entries) => {
            if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
            seen.disconnect();
            this.show();
        });
        seen.observe(root);
    }

    show() {
        clearTimeout(this.timer);
        const width = Number(this.slider.value);
        const words = wordsFor(width);
        this.at = wavefrontsOf(words);
        this.count = Math.max(...this.at) + 1;
        this.root.querySelector("output").textContent = String(width);
        this.words.forEach((element, lane) => {
            element.style.transform = place(words[lane]);
            element.classList.remove("delivered");
        });
        this.tell(width);
        if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.deliver(this.count);
        this.tellCount(0);
        this.timer = setTimeout(() => this.deliver(1), MOVE);
    }

    /** Shows that the first `done` wavefronts have delivered their words. */
    deliver(done) {
        this.words.forEach((element, lane) => element.classList.toggle("delivered", this.at[lane] < done));
        this.tellCount(done);
        if (done < this.count) this.timer = setTimeout(() => this.deliver(done + 1), TICK);
    }

    tellCount(done) {
        this.root.querySelector(".bank-count b").textContent = String(done);
        this.root.querySelector(".bank-count span").textContent = `of ${this.count} wavefront${this.count === 1 ? "" : "s"}`;
    }

    tell(width) {
        const often = this.count === 1 ? "All 32 words are in different banks, so they arrive in one wavefront." : this.count === LANES
            ? "All 32 words are in one bank, which delivers them one after the other."
            : `A bank holds up to ${this.count} of the words, so they arrive in ${this.count} wavefronts.`;
        this.root.querySelector(".bank-words").textContent = `${often} ${this.lessons[width] ?? ""}`.trim();
    }
}

// ---- the button that keeps the book and the compiler for use offline ----

/** Stores the compiler where common/page/src/compiler/load.ts looks for it, and waits until all pages are stored. */
async function keepForOfflineUse(tell) {
    await navigator.serviceWorker.register("service_worker.js", { updateViaCache: "none" });
    const cache = await caches.open("coalesce-compiler");
    const { module, whole } = await (await fetch("compiler/compiler.json")).json();
    const missing = [];
    for (const one of [module, whole]) if (one && !(await cache.match(new URL(`compiler/${one.file}`, location.href)))) missing.push(one);
    const megabytes = missing.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
    tell(`Saving the pages${missing.length ? ` and ${Math.ceil(megabytes)} MB of compiler` : ""} …`);
    for (const { file } of missing) await cache.add(new URL(`compiler/${file}`, location.href));
    await navigator.serviceWorker.ready;
}

function setUpOffline(line) {
    if (!location.protocol.startsWith("http") || !navigator.serviceWorker || !globalThis.caches) return;
    line.hidden = false;
    const tell = (words) => (line.querySelector("[role=status]").textContent = words);
    const button = line.querySelector("button");
    button.addEventListener("click", async () => {
        button.disabled = true;
        try {
            await keepForOfflineUse(tell);
            tell("Saved: everything here now works offline.");
            button.hidden = true;
        } catch {
            tell("The download was interrupted. Try again.");
            button.disabled = false;
        }
    });
}

document.addEventListener("DOMContentLoaded", () => {
    const root = document.querySelector(".bank-toy");
    if (root) new BankToy(root);
    const offline = document.querySelector(".offline");
    if (offline) setUpOffline(offline);
});
