// Turns a lesson into slides for a lecture: its title, its questions without the answers, and each picture, table and
// program of the text, with the sentence that leads to it. Printed from a browser, each slide is a page.
"use strict";

/** Sections that students read on their own, so that they have no slides. */
const WITHOUT_SLIDES = /^(build it|your turn|try|questions|on a gpu|read)/i;
const LONGEST_LEAD = 280;

const plainText = (element) => element.textContent.replace(/\s+/g, " ").replace(/#$/, "").trim();

/** Returns whole sentences from the end of `text` (or, if `fromStart`, from its start), as many as fit on a slide. */
function sentencesOf(text, fromStart = false) {
    const sentences = text.match(/[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?:]+(?=\s|$)/g)?.map((one) => one.trim()) ?? [text];
    let lead = "";
    for (const sentence of fromStart ? sentences : sentences.reverse()) {
        const longer = (fromStart ? `${lead} ${sentence}` : `${sentence} ${lead}`).trim();
        if (lead && longer.length > LONGEST_LEAD) break;
        lead = longer;
    }
    return lead;
}

function slideOf(heading, ...parts) {
    const slide = document.createElement("section");
    slide.className = "slide";
    const title = document.createElement("h2");
    title.textContent = heading;
    slide.append(title, ...parts.filter(Boolean));
    slide.classList.toggle("words", !slide.querySelector(".shown"));
    return slide;
}

function paragraphOf(text) {
    if (!text) return null;
    const paragraph = document.createElement("p");
    paragraph.textContent = text;
    return paragraph;
}

/** Returns a copy that does not repeat the ids of the page and has no buttons. */
function copyOf(element) {
    const copy = element.cloneNode(true);
    for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
    for (const one of copy.querySelectorAll("button, .tools")) one.remove();
    copy.removeAttribute("tabindex");
    const frame = document.createElement("div");
    frame.className = "shown";
    frame.append(copy);
    return frame;
}

/** Returns a slide with the question and its choices. It does not contain the answers, which attributes of the page hold. */
function questionSlide(form) {
    const list = document.createElement("ol");
    for (const choice of form.querySelectorAll(".choice span")) {
        const item = document.createElement("li");
        item.textContent = plainText(choice);
        list.append(item);
    }
    return slideOf("Predict first", paragraphOf(plainText(form.querySelector("legend, label > span"))), list.children.length ? list : null);
}

/** Reports whether the element is a picture, a table or a program, or contains nothing but one. */
const isShown = (element) => element.matches(".drawing, .fragment, figure, table, .image") || (element.matches("p, div, center") && element.querySelector(":scope > :is(img, svg, table, figure, .fragment, .drawing)"));

/** Returns the slides of the lesson on this page. */
function slidesOfLesson() {
    const body = document.querySelector("main .textblock");
    const title = plainText(document.querySelector("main h1"));
    const intro = [...body.children].find((one) => one.matches("p") && plainText(one));
    const slides = [slideOf(title, paragraphOf(sentencesOf(plainText(intro), true)))];
    slides[0].classList.add("title");
    let heading = title, lead = "", section = null;
    const endSection = () => {
        if (section?.text && !section.hasSlides) slides.push(slideOf(heading, paragraphOf(sentencesOf(section.text, true))));
        section = null;
    };
    for (const element of body.children) {
        if (element.matches("h2, h3, h4")) {
            endSection();
            heading = plainText(element);
            lead = "";
            section = WITHOUT_SLIDES.test(heading) ? null : { text: "", hasSlides: false };
            continue;
        }
        if (element.matches(".questions")) {
            slides.push(...[...element.querySelectorAll("form")].map(questionSlide));
            if (section) section.hasSlides = true;
        } else if (section && isShown(element)) {
            slides.push(slideOf(heading, paragraphOf(lead), copyOf(element)));
            section.hasSlides = true;
            lead = "";
        } else if (section && plainText(element)) {
            lead = sentencesOf(plainText(element));
            section.text ||= plainText(element);
        }
    }
    endSection();
    return slides;
}

/** Scales the picture, table or program of a slide to the space that the slide has for it. */
function fit(slide) {
    const frame = slide.querySelector(".shown");
    const content = frame?.firstElementChild;
    if (!content) return;
    content.style.zoom = "1";
    const scale = Math.min(frame.clientWidth / content.scrollWidth, frame.clientHeight / content.scrollHeight, 2.2);
    content.style.zoom = String(scale);
}

class Slides {
    constructor(opener) {
        this.opener = opener;
        this.root = document.createElement("div");
        Object.assign(this.root, { className: "slides", tabIndex: -1 });
        this.root.setAttribute("role", "dialog");
        this.root.setAttribute("aria-modal", "true");
        this.root.setAttribute("aria-label", "Slides");
        this.slides = slidesOfLesson();
        this.bar = document.createElement("nav");
        this.bar.setAttribute("aria-label", "Slides");
        this.place = document.createElement("span");
        this.place.setAttribute("role", "status");
        this.bar.append(this.button("Back", () => this.show(this.at - 1)), this.place, this.button("Next", () => this.show(this.at + 1)),
            this.button("Print", () => window.print()), this.button("Close", () => this.close()));
        this.root.append(...this.slides, this.bar);
        this.onKey = (event) => this.key(event);
        this.onSize = () => fit(this.slides[this.at]);
        this.onPrint = () => this.slides.forEach(fit);
    }

    button(text, act) {
        const button = document.createElement("button");
        Object.assign(button, { type: "button", textContent: text });
        button.addEventListener("click", act);
        return button;
    }

    open() {
        document.body.append(this.root);
        document.documentElement.classList.add("has-slides");
        for (const one of document.body.children) if (one !== this.root) one.inert = true;
        addEventListener("keydown", this.onKey);
        addEventListener("resize", this.onSize);
        addEventListener("beforeprint", this.onPrint);
        this.show(0);
        this.root.focus();
    }

    close() {
        removeEventListener("keydown", this.onKey);
        removeEventListener("resize", this.onSize);
        removeEventListener("beforeprint", this.onPrint);
        for (const one of document.body.children) one.inert = false;
        document.documentElement.classList.remove("has-slides");
        this.root.remove();
        this.opener.focus();
    }

    show(index) {
        this.at = Math.max(0, Math.min(index, this.slides.length - 1));
        this.slides.forEach((slide, i) => slide.classList.toggle("now", i === this.at));
        this.place.textContent = `${this.at + 1} of ${this.slides.length}`;
        fit(this.slides[this.at]);
    }

    key(event) {
        const moves = {
            ArrowRight: this.at + 1, ArrowDown: this.at + 1, PageDown: this.at + 1, " ": this.at + 1,
            ArrowLeft: this.at - 1, ArrowUp: this.at - 1, PageUp: this.at - 1, Home: 0, End: this.slides.length,
        };
        if (event.key === "Escape") this.close();
        else if (event.key in moves && !(event.key === " " && event.target.matches("button"))) this.show(moves[event.key]);
        else return;
        event.preventDefault();
    }
}

document.addEventListener("DOMContentLoaded", () => {
    const head = document.querySelector("main .headertitle");
    if (!head || !/lesson_\d+/.test(location.pathname)) return;
    const style = document.createElement("link");
    Object.assign(style, { rel: "stylesheet", href: "slides.css" });
    document.head.append(style);
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "to-slides", textContent: "Slides" });
    button.addEventListener("click", () => new Slides(button).open());
    head.append(button);
});
