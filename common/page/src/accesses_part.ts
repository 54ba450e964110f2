// Shows the accesses of one warp of any kernel. The reader steps through the accesses with buttons, and sees the lanes
// and the memory, the path of one lane, and the contents of shared memory.

import { isLong, pictureSvg, tileSvg } from "./picture";
import type { Access } from "./simulator";
import { headline } from "./words";

const markup = `
<div class="stepper">
  <button type="button" name="previous">Previous</button>
  <button type="button" name="next">Next</button>
  <button type="button" name="conflict">Next conflict</button>
  <label class="follow">Lane <input name="lane" type="range" min="-1" max="31" step="1" value="-1"/><output></output></label>
  <button type="button" name="all" aria-pressed="false">All rows</button>
  <span class="where"></span>
</div>
<p class="headline" aria-live="polite"></p>
<div class="drawing picture" tabindex="0" role="group" aria-label="The addresses of the lanes in memory"></div>`;

const tileMarkup = `<h3>Shared memory</h3><div class="drawing" tabindex="0" role="group" aria-label="Shared memory"></div>
<p class="faint">A row is 32 banks. Strong colour: accessed now. Faint colour: filled by this warp so far.</p>`;

/** Describes the position of a lane's address. */
function describeLaneAddress(access: Access, lane: number): string {
    const address = access.addresses[lane];
    if (address === null || address === undefined) return `lane ${lane} does not take part`;
    return access.memory === "shared"
        ? `lane ${lane}: bank ${Math.floor(address / 4) % 32}`
        : `lane ${lane}: ${access.memory} + ${address}, sector ${Math.floor(address / 32)}`;
}

export class AccessesPart {
    private accesses: Access[] = [];
    private accessIndex = 0;
    private lane = -1;
    private showsAll = false;
    private emptyText = "";

    /** Calls `moved` when another access is shown. */
    constructor(
        private readonly root: HTMLElement,
        private readonly tile: HTMLElement,
        private readonly moved: (at: number) => void,
    ) {
        root.innerHTML = markup;
        tile.innerHTML = tileMarkup;
        const click = (name: string, act: () => void) => this.find(`button[name=${name}]`).addEventListener("click", act);
        click("previous", () => this.move(-1));
        click("next", () => this.move(1));
        click("conflict", () => this.nextConflict());
        click("all", () => {
            this.showsAll = !this.showsAll;
            this.showCurrentAccess();
        });
        this.find("input").addEventListener("input", () => {
            this.lane = Number(this.find<HTMLInputElement>("input").value);
            this.showCurrentAccess();
        });
    }

    private find<T extends HTMLElement>(selector: string): T {
        return this.root.querySelector(selector) as T;
    }

    /**
     * Shows the access at index `at`, or the text `otherwise` if there are no accesses. Returns the index of the access
     * that is shown.
     */
    show(accesses: Access[], at: number, otherwise: string): number {
        this.accesses = accesses;
        this.accessIndex = Math.min(at, Math.max(0, accesses.length - 1));
        this.emptyText = otherwise;
        this.showCurrentAccess();
        return this.accessIndex;
    }

    move(by: number) {
        this.accessIndex = Math.min(Math.max(this.accessIndex + by, 0), Math.max(0, this.accesses.length - 1));
        this.showCurrentAccess();
        this.moved(this.accessIndex);
    }

    /**
     * Moves to the next access that costs more than necessary. After the last access, the search continues at the
     * first.
     */
    nextConflict() {
        const count = this.accesses.length;
        for (let i = 1; i <= count; i++) {
            const at = (this.accessIndex + i) % count;
            const access = this.accesses[at] as Access;
            if (access.cost > access.ideal) return this.move(at - this.accessIndex);
        }
        this.find(".headline").textContent = "No access of this warp costs more than necessary.";
    }

    private showCurrentAccess() {
        const access = this.accesses[this.accessIndex];
        this.find(".where").textContent = access ? `${this.accessIndex + 1} of ${this.accesses.length}` : "";
        this.find(".headline").textContent = access ? headline(access) : this.emptyText;
        this.find(".picture").innerHTML = access ? pictureSvg(access, this.lane, this.showsAll) : "";
        const words = this.lane < 0 ? "all lanes" : access ? describeLaneAddress(access, this.lane) : "";
        this.find("output").textContent = words;
        this.find("input").setAttribute("aria-valuetext", words);
        const all = this.find("button[name=all]");
        all.hidden = !access || !isLong(access);
        all.setAttribute("aria-pressed", String(this.showsAll));
        all.textContent = access?.memory === "shared" ? "All wavefronts" : "All rows";
        const tile = access ? tileSvg(this.accesses, this.accessIndex) : null;
        this.tile.hidden = tile === null;
        (this.tile.querySelector(".drawing") as HTMLElement).innerHTML = tile ?? "";
    }
}
