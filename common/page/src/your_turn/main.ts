// The script of the lessons. It inserts "Your turn" into the element that the book provides.

import "../parts.css";
import "../editor/editor.css";
import "../bench/bench.css";
import "./your_turn.css";
import { Examiner } from "../examiner";
import { loadScript } from "../scripts";
import { SimulatorThread } from "../thread";
import { chooseOwnExercise } from "./own_exercise";
import { Turn } from "./turn";

/** Adds a link that leads to the editor. The link stays visible until the editor itself is visible. */
function addLink(root: HTMLElement) {
    root.id = "your-turn";
    const link = document.createElement("a");
    Object.assign(link, { className: "to-turn", href: "#your-turn", textContent: "Your turn" });
    document.querySelector("main")?.append(link);
    new IntersectionObserver((entries) => link.classList.toggle("reached", entries.some(({ isIntersecting }) => isIntersecting))).observe(root);
}

async function start(root: HTMLElement) {
    addLink(root);
    await loadScript("exercise-data.js", () => "exerciseData" in window);
    if (!root.dataset.exercise) await chooseOwnExercise(root);
    if (root.dataset.exercise) new Turn(root, new Examiner(), new SimulatorThread());
    root.dataset.ready = "yes";
}

const root = document.querySelector<HTMLElement>(".your-turn");
if (root) start(root).catch((error) => root.append(`The editor could not start: ${error}`));
