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
    /** The records of an exercise that the module does not contain, such as a teacher's own. */
    texts?: { file: string; text: string }[];
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
        /** The exercises that are not in the book, from `./learn play`: own-exercises.js. */
        ownExercises?: { exercises: Lesson[]; problem: string };
    }
}

export const lessons = (): Lesson[] => [...window.exerciseData.exercises, ...(window.ownExercises?.exercises ?? [])];
/** The first one is the default. */
export const gpus = (): Gpu[] => window.exerciseData.gpus;

const lessonOf = ({ exercise }: Task): Lesson | undefined => lessons().find((one) => one.name === exercise);

/** Whether this is an exercise beyond the transpose, whose kernel has other parameters. */
export const isBeyond = (exercise: string): boolean => exercise.startsWith("x_");
/** "03" for "03_tiled". Exercises beyond the transpose have no number, so their name is returned. */
export const numberOf = (exercise: string): string => (isBeyond(exercise) ? exercise : exercise.slice(0, 2));
/** Whether only this page knows the exercise, so that the module must be told what it asks. */
export const isOwn = (task: Task): boolean => lessonOf(task)?.texts !== undefined;
/** The part of a question to the module that says which exercise it is about. */
export const subjectOf = (task: Task): object => ({ ...task, texts: lessonOf(task)?.texts });

export function workOf({ exercise, hunt }: Task): Work {
    const lesson = lessonOf({ exercise, hunt });
    const work = hunt ? lesson?.hunt : lesson?.exercise;
    if (!work) throw new Error(`There is no exercise ${nameOf({ exercise, hunt })}.`);
    return work;
}

/** The key "03_tiled" or "03_tiled hunt", which the learner's progress uses too. */
export const nameOf = ({ exercise, hunt }: Task): string => exercise + (hunt ? " hunt" : "");
/** The argument of a command for this exercise: "03", "03 --hunt". */
export const wordsOf = ({ exercise, hunt }: Task): string => numberOf(exercise) + (hunt ? " --hunt" : "");
