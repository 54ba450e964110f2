// The kernels that "Watch" can show: those of an exercise, and those that are only launched.

import type { ArgumentsForm } from "../any_kernel/arguments_form";
import type { Examiner, Task } from "../examiner";
import { movesMatrix } from "../exercises";
import { playgroundLink } from "../playground/link";
import type { StepsAnswer, Watched } from "./watch_part";

export const watchedExercise = (examiner: Examiner, task: Task, text: string): Watched => ({
    text,
    movesMatrix: movesMatrix(task),
    record: (block) => examiner.steps<StepsAnswer>(task, text, block),
    link: (moment) => playgroundLink({ task, text, mode: "checked", fields: {}, moment }),
});

/** Returns the kernel of a form. `task` is the exercise with which a link opens. Throws NotLaunchable. */
export function watchedLaunch(examiner: Examiner, form: ArgumentsForm, task: Task, text: string): Watched {
    const { launch, source, changedFields } = form;
    return {
        text,
        movesMatrix: false,
        record: (block) => examiner.launchSteps<StepsAnswer>(launch, source, block),
        link: (moment) => playgroundLink({ task, text, mode: "launched", fields: changedFields, moment }),
    };
}
