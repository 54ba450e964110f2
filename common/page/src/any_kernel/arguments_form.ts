// The form for the arguments and the launch of a kernel that belongs to no exercise. It proposes all values, and keeps
// those that the reader has changed.

import { countOf, escapeHtml } from "../words";
import type { KernelLaunch } from "../kernel_launch";
import { proposeLaunch, type ArgumentProposal, type LaunchProposal } from "./proposal";
import { hasFunction, kernelsIn, type KernelSignature } from "./signature";

/** The fields that the reader has changed, by name. */
export type ChangedFields = Record<string, string>;

/** The reason why a text cannot be launched, as a text for the reader. */
export class NotLaunchable extends Error {
    override name = "NotLaunchable";
}

const WHOLE_PROGRAM =
    "This text has a `main()`, so it is a whole program, and a page launches single kernels. Delete `main()` to " +
    "launch a kernel here. To run the program, compile it with `nvcc`, and run it on the simulated GPU in the terminal: " +
    "`build/bin/simulate PROGRAM`.";

const templateText = (name: string): string =>
    `\`${name}\` is a template, and a page launches only kernels that are none. Write a type in place of its parameter.`;

/** The argument of a kernel without parameters. */
const UNUSED_ARGUMENT = "int unused = 0";

const GENERATORS = ["random(-1, 1)", "iota", "zero", "1", "permutation", "sorted(0, 100)", "sparse(-1, 1)", "bytes"];

const markup = (whose: string) => `
<p class="faint about"></p>
<div class="controls launch-fields"></div>
<div class="argument-list" role="group" aria-label="Arrays and values, ${whose}"></div>`;

const declarationOf = ({ parameter: { type, name, is_pointer, is_const } }: ArgumentProposal): string =>
    `${is_const ? "const " : ""}${type}${is_pointer ? "*" : ""} ${name}`;

/** Splits a list of expressions at the commas outside parentheses. */
function splitAtCommas(text: string): string[] {
    const parts = [""];
    let depth = 0;
    for (const letter of text) {
        depth += Number(letter === "(") - Number(letter === ")");
        if (letter === "," && depth === 0) parts.push("");
        else parts[parts.length - 1] += letter;
    }
    return parts.map((part) => part.trim());
}

export class ArgumentsForm {
    private changes: ChangedFields = {};
    private text = "";
    private signature: KernelSignature | null = null;
    private proposal: LaunchProposal | null = null;
    /** Identifies the fields that are shown, so that typing in the editor does not rebuild them. */
    private shown = "";

    /** Calls `changed` when the reader has changed a field. */
    constructor(
        private readonly root: HTMLFormElement,
        private readonly whose: string,
        private readonly changed: () => void,
    ) {
        root.innerHTML = markup(whose);
        root.addEventListener("submit", (event) => {
            event.preventDefault();
            this.changed();
        });
        root.addEventListener("change", (event) => {
            const field = event.target as HTMLInputElement;
            this.changes[field.name] = field.value;
            if (field.name === "kernel") this.update(this.text);
            this.changed();
        });
    }

    get changedFields(): ChangedFields {
        return this.changes;
    }

    /** Shows the form for another text, with fields that the reader changed earlier. */
    open(text: string, changes: ChangedFields) {
        this.changes = { ...changes };
        this.shown = "";
        this.update(text);
    }

    /** Proposes values for a text that has changed. */
    update(text: string) {
        this.text = text;
        const kernels = kernelsIn(text);
        this.signature = kernels.find(({ name }) => name === this.changes.kernel) ?? kernels[0] ?? null;
        this.proposal = this.signature && proposeLaunch(text, this.signature);
        this.find(".about").innerHTML = this.describe(kernels);
        const fields = JSON.stringify([kernels.map(({ name }) => name), this.proposal, this.hasConfigure]);
        if (fields === this.shown) return;
        this.shown = fields;
        this.showFields(kernels);
    }

    /** Returns what the form says. Throws NotLaunchable. */
    get launch(): KernelLaunch {
        if (hasFunction(this.text, "main")) throw new NotLaunchable(WHOLE_PROGRAM);
        if (!this.signature || !this.proposal)
            throw new NotLaunchable("The text has no kernel: a function with `__global__` and a body.");
        if (this.signature.is_template) throw new NotLaunchable(templateText(this.signature.name));
        return {
            name: this.signature.name,
            sizes: this.proposal.arguments
                .filter(({ is_size }) => is_size)
                .map((one) => {
                    const value = this.value(`value ${one.parameter.name}`, one.values).trim();
                    return { name: one.parameter.name, value: /^\d+$/.test(value) ? Number(value) : null };
                }),
            arguments: this.hasParameters
                ? this.proposal.arguments.map((one) => this.argument(one))
                : [UNUSED_ARGUMENT],
            launch: this.hasConfigure
                ? null
                : {
                      grid: splitAtCommas(this.value("grid", this.proposal.grid)),
                      block: splitAtCommas(this.value("block", this.proposal.block)),
                      shared: this.value("shared", this.proposal.shared).trim() || "0",
                  },
        };
    }

    /**
     * Returns the text to compile, with the same lines. A kernel without parameters gets one, because a launch needs an
     * argument. The name of a kernel says nothing about its parameters if it is `extern "C"`, so this is left out.
     */
    get source(): string {
        const text = this.text.replace(/extern\s+"C"(?=\s+__global__)/g, (words) => words.replace(/[^\n]/g, " "));
        if (!this.signature || this.hasParameters) return text;
        const end = this.signature.parameters_end;
        const start = text.lastIndexOf("(", end) + 1;
        return `${text.slice(0, start)}int${text.slice(end)}`;
    }

    private get hasParameters(): boolean {
        return (this.signature?.parameters.length ?? 0) > 0;
    }

    private get hasConfigure(): boolean {
        return hasFunction(this.text, "configure");
    }

    private find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    private value(name: string, proposed: string): string {
        return this.changes[name] ?? proposed;
    }

    /** Returns an argument as an exercise's record declares it. */
    private argument(one: ArgumentProposal): string {
        const { name, is_pointer } = one.parameter;
        if (one.is_size) return declarationOf(one);
        const extents = this.value(`extents ${name}`, one.extents).trim();
        const values = this.value(`value ${name}`, one.values).trim();
        const brackets = !is_pointer || extents.startsWith("[") || !extents ? extents : `[${extents}]`;
        return declarationOf(one) + brackets + (values ? ` = ${values}` : "");
    }

    private describe(kernels: KernelSignature[]): string {
        if (!kernels.length) return "The text has no kernel to launch.";
        const more = kernels.length > 1 ? ` The text has ${countOf(kernels.length, "kernel")}: choose one.` : "";
        return `The page launches this kernel once and shows its arrays. No exercise checks the result.${more}`;
    }

    // ---- the fields ----

    private showFields(kernels: KernelSignature[]) {
        const sizes = this.proposal?.arguments.filter(({ is_size }) => is_size) ?? [];
        const others = this.proposal?.arguments.filter(({ is_size }) => !is_size) ?? [];
        const sizeFields = sizes.map((one) =>
            this.field(`value ${one.parameter.name}`, one.values, one.parameter.name, "number"),
        );
        const launch = this.proposal && !this.hasConfigure ? this.launchFields(this.proposal) : "";
        this.find(".launch-fields").innerHTML = this.kernelField(kernels) + sizeFields.join("") + launch;
        this.find(".argument-list").innerHTML = others.map((one) => this.row(one)).join("");
    }

    private launchFields({ grid, block, shared }: LaunchProposal): string {
        return (
            this.field("grid", grid, "Grid (blocks along x, y, z)") +
            this.field("block", block, "Block (threads)") +
            this.field("shared", shared, "Dynamic shared memory, bytes")
        );
    }

    private kernelField(kernels: KernelSignature[]): string {
        if (kernels.length < 2) return "";
        const options = kernels.map(
            ({ name }) => `<option${name === this.signature?.name ? " selected" : ""}>${name}</option>`,
        );
        return `<label>Kernel <select name="kernel">${options.join("")}</select></label>`;
    }

    private field(name: string, proposed: string, label: string, type = "text"): string {
        const value = escapeHtml(this.value(name, proposed));
        const most =
            type === "number"
                ? ' min="1" inputmode="numeric"'
                : ` class="${name}" spellcheck="false" autocomplete="off"`;
        const input = `<input name="${escapeHtml(name)}" type="${type}" value="${value}"${most}/>`;
        return `<label>${escapeHtml(label)} ${input}</label>`;
    }

    private row(one: ArgumentProposal): string {
        const { name, is_pointer } = one.parameter;
        const list = `generators-${this.whose.replace(/\W/g, "")}-${name}`;
        const options = GENERATORS.map((generator) => `<option value="${generator}"></option>`).join("");
        const extents = is_pointer ? this.field(`extents ${name}`, one.extents, "Elements") : "<span></span>";
        const values = this.field(
            `value ${name}`,
            one.values,
            is_pointer ? "Values before the launch" : "Value",
        ).replace("<input", `<input list="${list}" placeholder="${is_pointer ? "none" : ""}"`);
        const declaration = escapeHtml(declarationOf(one));
        return `<div class="argument" role="group" aria-label="${declaration}"><code>${declaration}</code>
            ${extents}${values}<datalist id="${list}">${options}</datalist></div>`;
    }
}
