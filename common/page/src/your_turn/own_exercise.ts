// The page for exercises that are not in the book, such as a teacher's own. `./learn play` serves these exercises from
// the course's folder as own-exercises.js. The URL contains the name of the exercise after "#".

import { loadScript } from "../scripts";
import { escapeHtml, withCode } from "../words";

/** Chooses the exercise that the URL names, or the first one, and shows links to the other exercises. */
export async function chooseOwnExercise(root: HTMLElement) {
    await loadScript("own-exercises.js", () => "ownExercises" in window);
    const { exercises, problem } = window.ownExercises!;
    const words = problem || (exercises.length ? "" : "You have no exercises of your own yet. `./learn exercise new NAME` makes an exercise, and `./learn play` serves it.");
    const chosen = exercises.find(({ name }) => name === location.hash.slice(1)) ?? exercises[0];
    const links = exercises.map(({ name, title }) => `<li><a href="#${name}"${name === chosen?.name ? ' aria-current="page"' : ""}>${name}</a>: ${escapeHtml(title)}</li>`);
    root.innerHTML = `<p>${withCode(words)}</p><ul>${links.join("")}</ul>`;
    if (chosen) root.dataset.exercise = chosen.name;
    addEventListener("hashchange", () => location.reload());
}
