// The exercises' data in the page: window.exerciseData, which common/page/data/exercises.cpp
// writes.

import type { Task } from "./examiner";

export interface Question {
    /** "store" and so on, or "of_copy_predicted". */
    counter: string;
    question: string;
    within: number;
}

/** An exercise or a bug hunt. */
export interface Work {
    /** "exercises/03_tiled/kernel.cu" */
    file: string;
    kernel: string;
    produces: string;
    /** The learner's initial text. */
    skeleton: string;
    solution: string;
    /** The limits, by counter. */
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
    /** Whether calibrate ran on such a GPU. Otherwise its figures come from documents. */
    measured: boolean;
}

declare global {
    interface Window {
        exerciseData: { exercises: Lesson[]; gpus: Gpu[] };
    }
}

export const lessons = (): Lesson[] => window.exerciseData.exercises;
/** The first one is the default. */
export const gpus = (): Gpu[] => window.exerciseData.gpus;

export function workOf({ exercise, hunt }: Task): Work {
    const lesson = lessons().find((one) => one.name === exercise);
    const work = hunt ? lesson?.hunt : lesson?.exercise;
    if (!work) throw new Error(`There is no exercise ${nameOf({ exercise, hunt })}.`);
    return work;
}

/** The key "03_tiled" or "03_tiled hunt", which the learner's progress uses too. */
export const nameOf = ({ exercise, hunt }: Task): string => exercise + (hunt ? " hunt" : "");
/** The argument of a command for this exercise: "03", "03 --hunt". */
export const wordsOf = ({ exercise, hunt }: Task): string => exercise.slice(0, 2) + (hunt ? " --hunt" : "");
