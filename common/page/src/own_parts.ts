// Computes the data that the examination of an exercise needs if the module does not contain it: the compiled
// reference, and the costs of the solution. The data of the book's own exercises is computed when the book is built.

import type { Compiler, CompilerAnswer, CompilerRequest } from "./compiler/compiler";
import type { Task } from "./examiner";
import { isOwnExercise, nameOf, subjectOf, workOf } from "./exercises";
import type { SimulatorThread } from "./thread";

interface Parts {
    reference: CompilerAnswer;
    solution: object;
}

export class OwnExercisePartsLoader {
    private readonly partsByName = new Map<string, Promise<Parts>>();

    constructor(private readonly thread: SimulatorThread) {}

    /**
     * Returns an empty object for an exercise of the book. Rejects with a message for the reader if the solution fails.
     */
    async of(task: Task, compiler: Compiler): Promise<Partial<Parts>> {
        if (!isOwnExercise(task)) return {};
        const name = nameOf(task);
        let parts = this.partsByName.get(name);
        if (!parts) {
            parts = this.compute(task, compiler);
            this.partsByName.set(name, parts);
            // Remove the entry after a failure, so that the next call retries. The worker may have been terminated.
            parts.catch(() => this.partsByName.delete(name));
        }
        return parts;
    }

    private async compute(task: Task, compiler: Compiler): Promise<Parts> {
        const question = { ...subjectOf(task), source: workOf(task).solution };
        const request = await this.thread.ask<CompilerRequest & { reference: CompilerRequest }>("request", question);
        const { ir, said } = await compiler.compile(request);
        const reference = await compiler.compile(request.reference);
        const solution = await this.thread.ask<object>("cost", { ...question, reference, ir, said, compiler: compiler.version });
        return { reference, solution };
    }
}
