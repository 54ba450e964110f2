// What the book does in a browser: the theme's switch, the menu on small screens, the search, and the
// questions. Everything can be read without it.
"use strict";

// ---- the theme: what the system says, until the switch is used ----

const storedTheme = () => {
    try {
        return localStorage.getItem("theme");
    } catch {
        return null; // some browsers refuse storage to files
    }
};
if (storedTheme()) document.documentElement.dataset.theme = storedTheme();

const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function setUpTheme() {
    const button = document.getElementById("theme");
    const show = () => (button.textContent = isDark() ? "Light" : "Dark");
    button.addEventListener("click", () => {
        const next = isDark() ? "light" : "dark";
        document.documentElement.dataset.theme = next;
        try {
            localStorage.setItem("theme", next);
        } catch {
            // Then it holds for this page.
        }
        show();
    });
    show();
}

// ---- the sidebar ----

function setUpSidebar() {
    const menu = document.getElementById("menu");
    const sidebar = document.getElementById("sidebar");
    menu.addEventListener("click", () => {
        const open = sidebar.classList.toggle("open");
        menu.setAttribute("aria-expanded", String(open));
    });
    const here = location.pathname.split("/").pop() || "index.html";
    for (const link of sidebar.querySelectorAll("a")) {
        if (link.getAttribute("href") === here) link.setAttribute("aria-current", "page");
    }
}

// ---- the search: every word has to occur; titles count more ----

function scoreOf(entry, words) {
    const title = entry.title.toLowerCase();
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
    const begin = Math.max(0, at - 60);
    return (begin ? "…" : "") + text.slice(begin, at + 100) + "…";
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
        link.href = entry.page;
        link.textContent = entry.title;
        const text = document.createElement("p");
        text.textContent = excerpt(entry.text, words[0]);
        item.append(link, text);
        list.append(item);
    }
    box.append(list);
}

function setUpSearch() {
    const input = document.getElementById("search");
    // The index is larger than a page: it is read when somebody searches.
    const withIndex = (use) => {
        if (window.searchIndex) return use();
        const script = document.createElement("script");
        script.src = "search-index.js";
        script.addEventListener("load", use);
        document.head.append(script);
    };
    input.addEventListener("input", () => withIndex(() => showFound(input.value.trim())));
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
        if (given === "" || Number.isNaN(Number(given))) return { text: "A number, please." };
        const answer = Number(form.dataset.answer);
        return Math.abs(Number(given) - answer) <= Number(form.dataset.within) * answer
            ? { right: true, text: `Right: ${form.dataset.answer}. The counters below say so too.` }
            : { right: false, text: "Not that many, or not that few. The picture above shows one request: count." };
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

// ---- without a network: a script beside the pages keeps them, where the browser allows that ----

addEventListener("load", () => {
    if (!location.protocol.startsWith("http") || !navigator.serviceWorker) return;
    // The script's own address never changes: it must not come out of a cache.
    navigator.serviceWorker.register("service_worker.js", { updateViaCache: "none" }).catch(() => {});
});

// ---- code that is wider than the page: the keyboard can scroll it, too ----

function setUpScrolling() {
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
    setUpScrolling();
    // The explorer has the book's colours and not its contents.
    if (document.getElementById("sidebar")) {
        setUpSidebar();
        setUpSearch();
    }
    setUpQuestions();
    // Backquotes in questions are code.
    for (const part of document.querySelectorAll(".question span, .question legend")) {
        part.innerHTML = part.innerHTML.replace(/`([^`]*)`/g, "<code>$1</code>");
    }
});
