// Marks lines in the editor, and shows the reason below each marked line: the compiler's messages, and the causes in a
// verdict.

import { RangeSetBuilder, StateEffect, StateField, type EditorState, type Text } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";

/** "cause" is the line of a failure, and "related" a second line that belongs to it. */
export type MarkKind = "error" | "warning" | "cause" | "related";

export interface LineMark {
    kind: MarkKind;
    line: number;
    /** The column that the text is about, from 1, or 0 if the text is about the whole line. */
    column: number;
    text: string;
}

export const setMarks = StateEffect.define<LineMark[]>();

/** A line with several marks has the color of the first of these kinds. */
const KIND_ORDER: MarkKind[] = ["error", "cause", "related", "warning"];
const KIND_PREFIXES: Record<MarkKind, string> = { error: "error: ", warning: "warning: ", cause: "", related: "" };
const MAX_INDENT = 40;

class NoteWidget extends WidgetType {
    constructor(
        private readonly mark: LineMark,
        private readonly indent: number,
    ) {
        super();
    }
    eq(other: NoteWidget) {
        return other.mark.text === this.mark.text && other.mark.kind === this.mark.kind && other.indent === this.indent;
    }
    toDOM() {
        const note = document.createElement("div");
        note.className = `note ${this.mark.kind}`;
        note.style.marginLeft = `${Math.min(this.indent, MAX_INDENT)}ch`;
        note.textContent = `${this.mark.column > 1 ? "^ " : ""}${KIND_PREFIXES[this.mark.kind]}${this.mark.text}`;
        return note;
    }
}

/**
 * Returns the indentation of a note. The note is shown below the column that it is about or, without a column, below
 * the beginning of the code.
 */
function noteIndent(mark: LineMark, text: Text): number {
    if (mark.column > 0) return mark.column - 1;
    return text.line(mark.line).text.search(/\S|$/);
}

function decorations(marks: LineMark[], text: Text): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    const shown = marks.filter(({ line }) => line >= 1 && line <= text.lines);
    for (const number of [...new Set(shown.map(({ line }) => line))].sort((one, other) => one - other)) {
        const line = text.line(number);
        const here = shown.filter((mark) => mark.line === number);
        const kind = KIND_ORDER.find((one) => here.some((mark) => mark.kind === one));
        builder.add(line.from, line.from, Decoration.line({ class: `line-${kind}` }));
        here.forEach((mark, side) => {
            const widget = new NoteWidget(mark, noteIndent(mark, text));
            builder.add(line.to, line.to, Decoration.widget({ widget, block: true, side: side + 1 }));
        });
    }
    return builder.finish();
}

export const lineMarks = StateField.define<DecorationSet>({
    create: (_: EditorState) => Decoration.none,
    update(marks, transaction) {
        for (const effect of transaction.effects) {
            if (effect.is(setMarks)) return decorations(effect.value, transaction.state.doc);
        }
        return marks.map(transaction.changes);
    },
    provide: (field) => EditorView.decorations.from(field),
});
