// The exercises' data in the page: window.exerciseData, which common/page/data/exercises.cpp
// writes.

import type { Task } from "./examiner";

export interface Question {
    /** The name of the counter, such as "store" or "of_copy_predicted". */
    counter: string;
    question: string;
    within: number;
}

/** An exercise or a bug hunt. */
export interface Work {
    /** The path of the learner's file, such as "exercises/03_tiled/kernel.cu". */
    file: string;
    kernel: string;
    /** The name of the task, such as "transpose", or "computed" for a task that is defined element by element. */
    produces: string;
    /** The learner's initial text. */
    skeleton: string;
    solution: string;
    /** The limit for each counter, by the counter's name. */
    limits: Record<string, number>;
    questions: Question[];
}

export interface Lesson {
    name: string;
    title: string;
    exercise: Work;
    hunt: Work | null;
    /** The records of an exercise that the module does not contain, such as an exercise by a teacher. */
    texts?: { file: string; text: string }[];
}

export interface Gpu {
    name: string;
    source: string;
    /** Whether `calibrate` has measured the parameters of this GPU. Otherwise the parameters come from documents. */
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
/** Returns the GPUs to choose from. The first GPU is the default. */
export const gpus = (): Gpu[] => window.exerciseData.gpus;

const lessonOf = ({ exercise }: Task): Lesson | undefined => lessons().find((one) => one.name === exercise);

/** Reports whether this is an exercise beyond the transpose, which has no lesson. */
export const isBeyondTranspose = (exercise: string): boolean => exercise.startsWith("x_");
/**
 * Returns the number of an exercise, such as "03" for "03_tiled". An exercise beyond the transpose has no number, so
 * its name is returned.
 */
export const numberOf = (exercise: string): string => (isBeyondTranspose(exercise) ? exercise : exercise.slice(0, 2));
/**
 * Reports whether the exercise exists only in this page. In that case, questions to the module must contain the
 * exercise's records.
 */
export const isOwnExercise = (task: Task): boolean => lessonOf(task)?.texts !== undefined;
/** Returns the fields of a question to the module that identify the exercise. */
export const subjectOf = (task: Task): object => ({ ...task, texts: lessonOf(task)?.texts });

export function workOf({ exercise, hunt }: Task): Work {
    const lesson = lessonOf({ exercise, hunt });
    const work = hunt ? lesson?.hunt : lesson?.exercise;
    if (!work) throw new Error(`There is no exercise ${nameOf({ exercise, hunt })}.`);
    return work;
}

/**
 * Reports whether the kernel moves a matrix, and so has the parameters of a transpose. All other tasks are defined
 * element by element.
 */
export const movesMatrix = (task: Task): boolean => workOf(task).produces !== "computed";

/** Returns the key "03_tiled" or "03_tiled hunt", which is also the key in the learner's progress. */
export const nameOf = ({ exercise, hunt }: Task): string => exercise + (hunt ? " hunt" : "");
/** Returns the arguments of a terminal command for this task, such as "03" or "03 --hunt". */
export const commandArguments = ({ exercise, hunt }: Task): string => numberOf(exercise) + (hunt ? " --hunt" : "");
