// Shows which tile of `in` each block processes, in the order in which the blocks start. The tile is computed from the
// first address that the block loads.

import type { Examined, Launch } from "../examiner";
import { serializeRuns, type SimulatorThread } from "../thread";

const MAX_DRAWN_BLOCKS = 64;
const TILE_SIDE = 32;
const CELL_PIXELS = 26;

const markup = `<h3>Order of the blocks</h3>
<p class="faint">The picture shows the tile of <code>in</code> that each block reads first. Blocks start in the order of their indices.</p>
<label class="follow">Blocks started <input name="begun" type="range" min="1" max="1" value="1"/><output></output></label>
<div class="drawing" tabindex="0" role="group" aria-label="Tiles in the order of their blocks"></div>`;

const product = (list: number[]): number => list.reduce((one, other) => one * other, 1);

export class BlockOrderPart {
    private examined: Examined | null = null;
    /** For each block, the row and the column of its tile, or null if the block loads nothing. */
    private tiles: ([number, number] | null)[] = [];
    private readonly countLatest = serializeRuns(() => this.count());

    constructor(
        private readonly root: HTMLElement,
        private readonly thread: SimulatorThread,
    ) {
        root.innerHTML = markup;
        this.slider.addEventListener("input", () => this.draw());
    }

    private get slider(): HTMLInputElement {
        return this.root.querySelector("input") as HTMLInputElement;
    }

    show(examined: Examined) {
        this.examined = examined;
        void this.countLatest();
    }

    /** Runs the kernel once for each block, because only one block is traced at a time. */
    private async count() {
        const { ptx, entry, launch } = this.examined as Examined & { launch: Launch };
        const blocks = product(launch.grid);
        this.root.hidden = blocks < 2 || blocks > MAX_DRAWN_BLOCKS;
        if (this.root.hidden) return;
        const tiles: BlockOrderPart["tiles"] = [];
        for (let block = 0; block < blocks; block++) {
            const question = { ...launch, entry, traced_block: block, traced_warp: 0, limit: 40, produces: "" };
            const { accesses } = await this.thread.run(ptx, question);
            const load = accesses.find(({ memory, store }) => memory !== "shared" && !store);
            const address = load?.addresses.find((one) => one !== null);
            const element = (address ?? 0) / 4;
            tiles.push(load ? [Math.floor(Math.floor(element / launch.cols) / TILE_SIDE), Math.floor((element % launch.cols) / TILE_SIDE)] : null);
        }
        // A bulk copy (TMA) is not a load by a thread, so there are no addresses from which the order could be
        // computed.
        this.root.hidden = tiles.every((tile) => tile === null);
        if (this.root.hidden) return;
        this.tiles = tiles;
        this.slider.max = String(blocks);
        this.slider.value = String(blocks);
        this.draw();
    }

    private draw() {
        const { launch } = this.examined as Examined & { launch: Launch };
        const begun = Number(this.slider.value);
        const [down, across] = [Math.ceil(launch.rows / TILE_SIDE), Math.ceil(launch.cols / TILE_SIDE)];
        let cells = "";
        for (let row = 0; row < down; row++) {
            for (let col = 0; col < across; col++) {
                const blocks = this.tiles.flatMap((tile, block) => (tile && tile[0] === row && tile[1] === col ? [block] : []));
                const isBegun = blocks.some((block) => block < begun);
                const mark = blocks.includes(begun - 1) ? " followed" : "";
                cells += `<rect class="${isBegun ? "used" : "idle"}${mark}" x="${col * CELL_PIXELS + 2}" y="${row * CELL_PIXELS + 2}" width="${CELL_PIXELS - 2}" height="${CELL_PIXELS - 2}"/>`;
                if (isBegun) cells += `<text class="lane" x="${col * CELL_PIXELS + 1 + CELL_PIXELS / 2}" y="${row * CELL_PIXELS + 17}">${blocks[0]}</text>`;
            }
        }
        const words = `${begun} of ${this.tiles.length} blocks`;
        (this.root.querySelector("output") as HTMLElement).textContent = words;
        this.slider.setAttribute("aria-valuetext", words);
        const size = `viewBox="0 0 ${across * CELL_PIXELS + 4} ${down * CELL_PIXELS + 4}" style="max-width: ${across * CELL_PIXELS + 4}px"`;
        (this.root.querySelector(".drawing") as HTMLElement).innerHTML =
            `<svg class="diagram" role="img" ${size} aria-label="Tiles of in, ${down} x ${across}, by the block that processes them; ${words} have started">${cells}</svg>`;
    }
}
