// Stores the unanswered questions to a worker. Each question has a number, which the worker includes in its reply.

interface Asker {
    resolve(answer: unknown): void;
    reject(error: Error): void;
}

export class OpenQuestions {
    private readonly askers = new Map<number, Asker>();
    private asked = 0;

    get isEmpty(): boolean {
        return this.askers.size === 0;
    }

    /** Calls `post` with the number of a new question. The promise settles when the question is answered or rejected. */
    ask<Answer>(post: (number: number) => void): Promise<Answer> {
        return new Promise<Answer>((resolve, reject) => {
            const number = ++this.asked;
            this.askers.set(number, { resolve: resolve as Asker["resolve"], reject });
            post(number);
        });
    }

    answer(number: number, answer: unknown) {
        this.take(number)?.resolve(answer);
    }

    reject(number: number, error: Error) {
        this.take(number)?.reject(error);
    }

    rejectAll(error: Error) {
        const all = [...this.askers.values()];
        this.askers.clear();
        for (const { reject } of all) reject(error);
    }

    private take(number: number): Asker | undefined {
        const asker = this.askers.get(number);
        this.askers.delete(number);
        return asker;
    }
}
