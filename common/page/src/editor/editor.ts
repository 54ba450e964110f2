// The editor for a kernel. It highlights C++ in the book's colours, marks lines, and shows costs beside lines.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { LineCost } from "../examiner";
import { costGutter, setCosts } from "./costs";
import { lineMarks, setMarks, type LineMark } from "./marks";
import { wrapping } from "./wrapping";

export interface EditorEvents {
    /** Called when the learner or the setter `text` has changed the text. */
    changed(): void;
    /** Called when the learner presses Ctrl-Enter. */
    run(): void;
}

/** The extensions that the editor and the view of differences share. */
export const appearance: Extension = [
    lineNumbers(),
    highlightSpecialChars(),
    cpp(),
    syntaxHighlighting(classHighlighter),
    EditorState.tabSize.of(4),
    indentUnit.of("    "),
];

export class Editor {
    private readonly view: EditorView;

    /** Creates an editor in `parent`. `label` is the editor's accessible name. */
    constructor(parent: HTMLElement, label: string, text: string, events: EditorEvents) {
        const keys = [
            { key: "Mod-Enter", run: () => (events.run(), true) },
            // The Tab key indents. Escape leaves the editor, so that the next Tab moves the focus to the next element.
            { key: "Escape", run: (view: EditorView) => (view.contentDOM.blur(), true) },
        ];
        this.view = new EditorView({
            parent,
            doc: text,
            extensions: [
                Prec.highest(keymap.of(keys)),
                lineMarks,
                wrapping,
                appearance,
                costGutter,
                history(),
                drawSelection(),
                highlightActiveLine(),
                bracketMatching(),
                indentOnInput(),
                keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
                EditorView.contentAttributes.of({ "aria-label": `${label}. Press Escape to leave the editor.`, tabindex: "0" }),
                EditorView.updateListener.of((update) => {
                    if (update.docChanged) events.changed();
                }),
            ],
        });
    }

    get text(): string {
        return this.view.state.doc.toString();
    }

    /** Replaces the text as one step that can be undone. */
    set text(text: string) {
        if (text === this.text) return;
        this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    }

    showMarks(marks: LineMark[]) {
        this.view.dispatch({ effects: setMarks.of(marks) });
    }

    /** Scrolls to a line, and puts the cursor there. */
    goTo(line: number) {
        if (line < 1 || line > this.view.state.doc.lines) return;
        const { from } = this.view.state.doc.line(line);
        this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
        this.focus();
    }

    showCosts(costs: LineCost[]) {
        this.view.dispatch({ effects: setCosts.of(costs) });
    }

    focus() {
        this.view.focus();
    }
}
