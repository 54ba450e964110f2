// The script of the lessons, which inserts "Your turn" into the element that the book provides.

import "../parts.css";
import "../editor/editor.css";
import "../bench/bench.css";
import "./your_turn.css";
import { Examiner } from "../examiner";
import { loadScript } from "../scripts";
import { SimulatorThread } from "../thread";
import { chooseOwnExercise } from "./own_exercise";
import { Turn } from "./turn";

async function start(root: HTMLElement) {
    await loadScript("exercise-data.js", () => "exerciseData" in window);
    if (!root.dataset.exercise) await chooseOwnExercise(root);
    if (root.dataset.exercise) new Turn(root, new Examiner(), new SimulatorThread());
    root.dataset.ready = "yes";
}

const root = document.querySelector<HTMLElement>(".your-turn");
if (root) start(root).catch((error) => root.append(`It could not start: ${error}`));
