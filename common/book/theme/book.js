// The book's script: the theme switch, the menu on small screens, the list of sections, the search,
// copy buttons, and questions. The book is readable without it.
"use strict";

// Mark the page as one with scripts. Controls that need this script are hidden without the mark.
document.documentElement.classList.add("js");

// ---- the theme: the system's, unless the reader has used the switch ----

const storedTheme = () => {
    try {
        return localStorage.getItem("theme");
    } catch {
        return null; // some browsers deny storage to local files
    }
};
if (storedTheme()) document.documentElement.dataset.theme = storedTheme();

const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

const MOON = '<svg viewBox="0 0 20 20" aria-hidden="true"><path fill="currentColor" d="M16.5 12.6A7 7 0 0 1 7.4 3.5a7 7 0 1 0 9.1 9.1z"/></svg>';
const SUN = '<svg viewBox="0 0 20 20" aria-hidden="true"><g fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"><circle cx="10" cy="10" r="3.4"/><path d="M10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M15.8 4.2l-1.4 1.4M5.6 14.4l-1.4 1.4"/></g></svg>';

function setUpTheme() {
    const button = document.getElementById("theme");
    const show = () => {
        button.innerHTML = isDark() ? SUN : MOON;
        button.setAttribute("aria-label", isDark() ? "Light colors" : "Dark colors");
    };
    button.addEventListener("click", () => {
        const next = isDark() ? "light" : "dark";
        document.documentElement.dataset.theme = next;
        try {
            localStorage.setItem("theme", next);
        } catch {
            // Without storage, the choice applies only to this page.
        }
        show();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    show();
}

// ---- the sidebar ----

function setUpSidebar() {
    const menu = document.getElementById("menu");
    const sidebar = document.getElementById("sidebar");
    const open = (isOpen) => {
        sidebar.classList.toggle("open", isOpen);
        menu.setAttribute("aria-expanded", String(isOpen));
        showHere();
    };
    const showHere = () => {
        const link = sidebar.querySelector("[aria-current]");
        if (link) sidebar.scrollTop = link.offsetTop - sidebar.clientHeight / 3;
    };
    menu.addEventListener("click", () => open(!sidebar.classList.contains("open")));
    document.addEventListener("keydown", ({ key }) => {
        if (key !== "Escape" || !sidebar.classList.contains("open")) return;
        open(false);
        menu.focus();
    });
    // A drawer covers the text, so a click beside it closes it.
    document.querySelector("main").addEventListener("click", () => open(false));
    const here = location.pathname.split("/").pop() || "index.html";
    for (const link of document.querySelectorAll(".bar .places a")) {
        if (link.getAttribute("href") === here) link.setAttribute("aria-current", "page");
    }
    for (const link of sidebar.querySelectorAll("a")) {
        if (link.getAttribute("href") !== here) continue;
        link.setAttribute("aria-current", "page");
        addSections(link);
    }
    showHere();
}

// ---- the reader's progress, which common/page/src/your_turn/progress.ts stores ----

/** Returns the reader's progress by exercise, and the name of the most recent exercise. */
function storedProgress() {
    try {
        const { exercises, current } = JSON.parse(localStorage.getItem("coalesce.1.state"));
        return { exercises: exercises ?? {}, current: current ?? "" };
    } catch {
        return { exercises: {}, current: "" };
    }
}

function showProgress() {
    const { exercises, current } = storedProgress();
    const lessons = [...document.querySelectorAll("#sidebar a[data-exercise]")].map((link) => {
        const { exercise } = link.dataset;
        return { link, exercise, hasPassed: Boolean(exercises[exercise]?.passed_hash) };
    });
    for (const { link, hasPassed } of lessons) {
        link.querySelector(".done")?.remove();
        if (hasPassed) link.insertAdjacentHTML("beforeend", '<span class="done" role="img" aria-label="passed">✓</span>');
    }
    const passed = lessons.filter(({ hasPassed }) => hasPassed);
    if (!lessons.length || !Object.keys(exercises).length) return;
    showLanes(lessons, passed.length);
    // Continue with the most recent exercise, or with the next one if it has passed. A page cannot run whole programs.
    const at = lessons.findIndex(({ exercise }) => exercise === current.replace(/ hunt$/, ""));
    const isOpen = ({ link, hasPassed }) => !hasPassed && !("program" in link.dataset);
    const next = lessons.slice(Math.max(at, 0)).find(isOpen) ?? lessons.find(isOpen);
    const button = document.querySelector(".ways .first");
    if (!button || !next) return;
    button.href = next.link.getAttribute("href");
    button.textContent = `Continue with ${next.link.firstElementChild.textContent}${next.link.childNodes[1].textContent}`;
}

/** Draws the progress as a warp of lessons: a cell for each lesson, and a color for those that are done. */
function showLanes(lessons, count) {
    document.querySelectorAll("#sidebar .lanes, #sidebar .progress-words").forEach((element) => element.remove());
    const lanes = document.createElement("div");
    lanes.className = "lanes";
    lanes.setAttribute("aria-hidden", "true");
    for (const { link, hasPassed } of lessons) {
        const lane = document.createElement("i");
        lane.className = `${hasPassed ? "passed" : ""} ${link.hasAttribute("aria-current") ? "here" : ""}`;
        lanes.append(lane);
    }
    const words = document.createElement("p");
    words.className = "progress-words";
    words.textContent = `${count} of ${lessons.length} exercises passed`;
    lessons[0].link.closest("ul").before(lanes, words);
}

// ---- the sections of a page: a list in the sidebar, and a link beside each heading ----

const headings = () =>
    [...document.querySelectorAll("main :is(h2, h3, h4)")]
        .map((element) => ({ element, id: element.querySelector("a.anchor")?.id || element.id }))
        .filter(({ id }) => id);

const textOf = (heading) => heading.textContent.replace(/#$/, "").trim();

function addSections(link) {
    const list = document.createElement("ul");
    list.className = "sections";
    for (const { element, id } of headings()) {
        if (element.tagName !== "H2") continue;
        const to = document.createElement("a");
        to.href = `#${id}`;
        to.textContent = textOf(element);
        const item = document.createElement("li");
        item.append(to);
        list.append(item);
    }
    if (list.childElementCount > 1) link.after(list);
}

function setUpHeadings() {
    for (const { element, id } of headings()) {
        const link = document.createElement("a");
        link.className = "to-heading";
        link.href = `#${id}`;
        link.textContent = "#";
        link.setAttribute("aria-label", `Link to: ${textOf(element)}`);
        element.append(link);
    }
}

// ---- the search: all words must occur; words in titles count more ----

function scoreOf(entry, words) {
    const title = `${entry.title} ${entry.heading}`.toLowerCase();
    const text = entry.text.toLowerCase();
    let score = 0;
    for (const word of words) {
        const inText = text.split(word).length - 1;
        const inTitle = title.includes(word);
        if (!inText && !inTitle) return 0;
        score += (inTitle ? 50 : 0) + Math.min(inText, 20);
    }
    return score;
}

function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word));
    const begin = Math.max(0, at - 60), end = at + 100;
    return (begin ? "…" : "") + text.slice(begin, end).trim() + (end < text.length ? "…" : "");
}

/** Highlights the words in all texts within an element. Returns the first highlighted element. */
function mark(element, words) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    const pattern = new RegExp(`(${words.map((word) => word.replace(/[^\w\s]/g, "\\$&")).join("|")})`, "i");
    let first;
    for (const text of texts) {
        if (text.parentElement.closest("script, style, svg, textarea, option, .your-turn")) continue;
        const parts = text.data.split(new RegExp(pattern, "gi"));
        if (parts.length === 1) continue;
        const marked = parts.map((part) => {
            if (!pattern.test(part)) return part;
            const place = document.createElement("mark");
            place.textContent = part;
            first ??= place;
            return place;
        });
        text.replaceWith(...marked);
    }
    return first;
}

/** Highlights the words that the reader searched for, on a page that was opened from the search results. */
function markFound() {
    const words = (new URLSearchParams(location.search).get("find") ?? "").split(" ").filter(Boolean);
    if (!words.length) return;
    const first = mark(document.querySelector("main"), words);
    if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
    else first?.scrollIntoView({ block: "center" });
}

function showFound(query) {
    const box = document.getElementById("found");
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    box.hidden = !words.length;
    box.replaceChildren();
    if (!words.length) return;
    const found = window.searchIndex
        .map((entry) => ({ entry, score: scoreOf(entry, words) }))
        .filter((hit) => hit.score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, 12);
    if (!found.length) {
        box.append(`Nothing in the book has “${query}”.`);
        return;
    }
    const list = document.createElement("ol");
    for (const { entry } of found) {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = `${entry.page}?find=${encodeURIComponent(words.join(" "))}${entry.anchor && "#" + entry.anchor}`;
        link.textContent = entry.heading || entry.title;
        const where = document.createElement("span");
        where.className = "where";
        where.textContent = entry.heading ? ` in ${entry.title}` : "";
        const text = document.createElement("p");
        text.textContent = excerpt(entry.text, words[0]);
        mark(text, words);
        item.append(link, where, text);
        list.append(item);
    }
    box.append(list);
}

function setUpSearch() {
    const input = document.getElementById("search");
    // The index is larger than a page, so it is loaded only when somebody searches.
    const withIndex = (use) => {
        if (window.searchIndex) return use();
        const script = document.createElement("script");
        script.src = "search-index.js";
        script.addEventListener("load", use);
        document.head.append(script);
    };
    input.addEventListener("input", () => withIndex(() => showFound(input.value.trim())));
    const found = document.getElementById("found");
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    for (const element of [input, found]) {
        element.addEventListener("keydown", (event) => {
            const links = [...found.querySelectorAll("a")];
            if (event.key === "Enter" && element === input) links[0]?.click();
            if (!(event.key in moves) || !links.length) return;
            event.preventDefault();
            const next = links.indexOf(document.activeElement) + moves[event.key];
            // The arrow keys move from the first result to the input field, and from the last
            // result to the first.
            if (next === -1 || (element === input && next < 0)) input.focus();
            else links[next % links.length].focus();
        });
    }
    document.addEventListener("keydown", (event) => {
        const { tagName, isContentEditable } = event.target;
        const typing = isContentEditable || /^(input|textarea|select)$/i.test(tagName ?? "");
        if (event.key === "/" && !typing) {
            event.preventDefault();
            input.focus();
        }
        if (event.key === "Escape") {
            input.value = "";
            showFound("");
        }
    });
}

// ---- the questions ----

function verdictOf(form) {
    if (form.dataset.answer !== undefined) {
        const given = form.querySelector("input").value.trim().replace(",", ".");
        if (given === "" || Number.isNaN(Number(given))) return { text: "Enter a number." };
        const answer = Number(form.dataset.answer);
        return Math.abs(Number(given) - answer) <= Number(form.dataset.within) * answer
            ? { right: true, text: `Right: ${form.dataset.answer}. The counters further down show the same number.` }
            : { right: false, text: "No. You can count the answer in the picture of one request, further down." };
    }
    const choice = form.querySelector("input:checked");
    if (!choice) return { text: "Choose one first." };
    const right = choice.dataset.right === "yes";
    return { right, text: (right ? "Right. " : "No. ") + choice.dataset.says };
}

function setUpQuestions() {
    for (const form of document.querySelectorAll("form.question")) {
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            const { right, text } = verdictOf(form);
            const verdict = form.querySelector(".verdict");
            verdict.className = "verdict" + (right === undefined ? "" : right ? " right" : " wrong");
            verdict.textContent = text;
        });
    }
}

// ---- offline: a service worker caches the pages, if the browser allows it ----

/**
 * The time after which caching begins on a page whose editor is still loading the compiler. Earlier, the two would
 * compete for the connection.
 */
const PATIENCE_WITH_COMPILER = 40000; // ms

addEventListener("load", () => {
    if (!location.protocol.startsWith("http") || !navigator.serviceWorker) return;
    // The address of the script never changes, so the browser must not cache it.
    const keep = () => navigator.serviceWorker.register("service_worker.js", { updateViaCache: "none" }).catch(() => {});
    if (!document.querySelector(".your-turn") || navigator.serviceWorker.controller) return void keep();
    const timer = setTimeout(keep, PATIENCE_WITH_COMPILER);
    addEventListener("compiler-settled", () => {
        clearTimeout(timer);
        keep();
    }, { once: true });
});

// ---- copy buttons ----

/** Returns the code without line numbers. */
const codeOf = (element) => {
    const lines = [...element.querySelectorAll(".line")];
    if (!lines.length) return element.textContent;
    return lines.map((line) => {
        const copy = line.cloneNode(true);
        copy.querySelectorAll(".lineno").forEach((number) => number.remove());
        return copy.textContent.replaceAll("\u00a0", " ").replace(/\s+$/, "");
    }).join("\n") + "\n";
};

async function copyText(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
}

function setUpCopies() {
    for (const code of document.querySelectorAll("main :is(.fragment, pre.fragment)")) {
        if (code.closest(".your-turn")) continue;
        const box = document.createElement("div");
        box.className = "copied-from";
        code.replaceWith(box);
        const button = document.createElement("button");
        button.type = "button";
        button.className = "copy";
        button.textContent = "Copy";
        button.addEventListener("click", () => {
            copyText(codeOf(code)).then(
                () => (button.textContent = "Copied"),
                () => (button.textContent = "Select it, then Ctrl-C"),
            );
            setTimeout(() => (button.textContent = "Copy"), 2000);
        });
        box.append(code, button);
    }
}

// ---- pictures: buttons to enlarge those that are shrunk to fit, and to replay animations ----

function setUpDrawings() {
    for (const drawing of document.querySelectorAll(".drawing")) {
        const svg = drawing.querySelector("svg");
        if (!svg) continue; // the explorer draws its picture later
        const add = (text, act) => {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "enlarge";
            button.textContent = text;
            button.addEventListener("click", () => act(button));
            drawing.after(button);
            return button;
        };
        if (svg.querySelector(".turn") && matchMedia("(prefers-reduced-motion: no-preference)").matches) {
            add("Play again", () => {
                const old = drawing.querySelector("svg");
                old.replaceWith(old.cloneNode(true));
            });
        }
        const enlarge = add("Enlarge", (button) => {
            const isLarge = drawing.classList.toggle("large");
            const svg = drawing.querySelector("svg");
            svg.style.width = isLarge ? `${svg.viewBox.baseVal.width}px` : "";
            button.textContent = isLarge ? "Fit the page" : "Enlarge";
        });
        const isSmall = () => svg.viewBox.baseVal.width > drawing.clientWidth;
        const show = () => (enlarge.hidden = !isSmall());
        show();
        addEventListener("resize", show);
    }
}

// ---- the headings of tables have the color of their idea ----

const IDEAS = [[/wavefront|bank|shared|tile/i, "shared"], [/sector|request|moved|GB\/s/i, "global"], [/register|spill/i, "registers"], [/wait|in flight|latency/i, "waiting"]];

function setUpTables() {
    for (const heading of document.querySelectorAll("main .markdownTable th")) {
        const idea = IDEAS.find(([words]) => words.test(heading.textContent))?.[1];
        if (idea) heading.classList.add("idea", idea);
    }
}

// ---- printing opens the folded parts ----

addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("main details:not([open])")) {
        details.open = true;
        details.dataset.printed = "";
    }
});
addEventListener("afterprint", () => {
    for (const details of document.querySelectorAll("details[data-printed]")) {
        details.open = false;
        delete details.dataset.printed;
    }
});

// ---- code that is wider than the page can also be scrolled with the keyboard ----

function setUpKeyboardScrolling() {
    const show = () => {
        for (const code of document.querySelectorAll(".fragment, main pre:not([tabindex])")) {
            if (code.scrollWidth <= code.clientWidth) continue;
            code.tabIndex = 0;
            code.setAttribute("role", "group");
            code.setAttribute("aria-label", "Code");
        }
    };
    show();
    addEventListener("resize", show);
}

document.addEventListener("DOMContentLoaded", () => {
    setUpTheme();
    setUpKeyboardScrolling();
    setUpSidebar();
    showProgress();
    // "Your turn" sends this event when an exercise has passed, and so does a change in another tab.
    addEventListener("progress-changed", showProgress);
    addEventListener("storage", showProgress);
    setUpHeadings();
    setUpCopies();
    setUpDrawings();
    setUpTables();
    setUpSearch();
    markFound();
    setUpQuestions();
    // In questions, text between backquotes is code.
    for (const part of document.querySelectorAll(".question span, .question legend")) {
        part.innerHTML = part.innerHTML.replace(/`([^`]*)`/g, "<code>$1</code>");
    }
});
