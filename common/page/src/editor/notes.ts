// Shows the compiler's messages below the lines that they refer to.

import { RangeSetBuilder, StateEffect, StateField, type EditorState, type Text } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import type { Message } from "../examiner";

export const setNotes = StateEffect.define<Message[]>();

class Note extends WidgetType {
    constructor(
        private readonly message: Message,
        private readonly indent: number,
    ) {
        super();
    }
    eq(other: Note) {
        return other.message.text === this.message.text && other.message.severity === this.message.severity && other.indent === this.indent;
    }
    toDOM() {
        const note = document.createElement("div");
        note.className = `note ${this.message.severity}`;
        note.style.marginLeft = `${Math.min(this.indent, 40)}ch`;
        note.textContent = `${this.indent > 0 ? "^ " : ""}${this.message.severity}: ${this.message.text}`;
        return note;
    }
}

function decorations(messages: Message[], text: Text): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    const shown = messages.filter(({ place }) => place.line >= 1 && place.line <= text.lines);
    const byLine = (line: number) => shown.filter(({ place }) => place.line === line);
    for (const number of [...new Set(shown.map(({ place }) => place.line))].sort((one, other) => one - other)) {
        const line = text.line(number);
        const here = byLine(number);
        const isError = here.some(({ severity }) => severity === "error");
        builder.add(line.from, line.from, Decoration.line({ class: isError ? "line-error" : "line-warning" }));
        here.forEach((message, side) => {
            const widget = new Note(message, Math.max(0, message.place.column - 1));
            builder.add(line.to, line.to, Decoration.widget({ widget, block: true, side: side + 1 }));
        });
    }
    return builder.finish();
}

export const lineNotes = StateField.define<DecorationSet>({
    create: (_: EditorState) => Decoration.none,
    update(notes, transaction) {
        for (const effect of transaction.effects) {
            if (effect.is(setNotes)) return decorations(effect.value, transaction.state.doc);
        }
        return notes.map(transaction.changes);
    },
    provide: (field) => EditorView.decorations.from(field),
});
