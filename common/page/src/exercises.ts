// The exercises' data in the page: window.exerciseData, which common/page/data/exercises.cpp
// writes.

import type { Task } from "./examiner";

export interface Question {
    /** "store", ... or "of_copy_predicted" */
    counter: string;
    question: string;
    within: number;
}

/** An exercise, or a bug hunt. */
export interface Work {
    /** "exercises/03_tiled/kernel.cu" */
    file: string;
    kernel: string;
    produces: string;
    /** What the learner begins with. */
    skeleton: string;
    solution: string;
    /** What it may cost, by counter. */
    limits: Record<string, number>;
    questions: Question[];
}

export interface Lesson {
    name: string;
    title: string;
    exercise: Work;
    hunt: Work | null;
}

export interface Gpu {
    name: string;
    source: string;
    /** By calibrate, on such a GPU; else what is known of it is from documents. */
    measured: boolean;
}

declare global {
    interface Window {
        exerciseData: { exercises: Lesson[]; gpus: Gpu[] };
    }
}

export const lessons = (): Lesson[] => window.exerciseData.exercises;
/** The first one is for whoever does not choose. */
export const gpus = (): Gpu[] => window.exerciseData.gpus;

export function workOf({ exercise, hunt }: Task): Work {
    const lesson = lessons().find((one) => one.name === exercise);
    const work = hunt ? lesson?.hunt : lesson?.exercise;
    if (!work) throw new Error(`There is no exercise ${nameOf({ exercise, hunt })}.`);
    return work;
}

/** "03_tiled", "03_tiled hunt": in the learner's progress, too. */
export const nameOf = ({ exercise, hunt }: Task): string => exercise + (hunt ? " hunt" : "");
/** What follows a command to mean it: "03", "03 --hunt". */
export const wordsOf = ({ exercise, hunt }: Task): string => exercise.slice(0, 2) + (hunt ? " --hunt" : "");
