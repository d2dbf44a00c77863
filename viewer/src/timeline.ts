// timeline.ts - the bar below: play, step, the time that is shown, events as marks, speed.
import type { Result } from "./data";
import { cssColour, element, fitCanvas, iconButton, setIcon } from "./dom";
import { Player, SPEEDS } from "./player";

const KIND_COLOURS: Record<string, string> = {
  impact: "--event-impact",
  stick: "--event-stick",
  slip: "--event-slip",
  takeoff: "--event-takeoff",
};

const speedName = (speed: number): string => (speed >= 1 ? `${speed}\u00d7` : `1/${Math.round(1 / speed)}\u00d7`);

export class Timeline {
  readonly root: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly marks = element("canvas", { class: "marks", "aria-hidden": "true" });
  private readonly clock = element("output", { class: "clock" });
  private readonly speed = element("select", { title: "speed of playback ( + and \u2212 )", "aria-label": "speed of playback" });
  private readonly kinds: string[];

  constructor(
    private readonly player: Player,
    private readonly results: Result[],
    step: (by: number) => void,
  ) {
    this.kinds = [...new Set(results.flatMap((result) => result.events.map((event) => event.kind)))];
    this.play = iconButton("play", "play or pause (space)", () => player.toggle());
    this.play.classList.add("main");
    this.slider = element("input", { type: "range", min: `${player.begin}`, max: `${player.end}`, step: "any", "aria-label": "time" });
    this.slider.addEventListener("input", () => player.seek(Number(this.slider.value)));
    for (const speed of SPEEDS) this.speed.append(element("option", { value: `${speed}` }, speedName(speed)));
    this.speed.addEventListener("change", () => player.setSpeed(Number(this.speed.value)));
    const track = element("div", { class: "track" }, this.marks, this.slider);
    this.root = element(
      "footer",
      { class: "timeline" },
      iconButton("back", "one frame back (left arrow)", () => step(-1)),
      this.play,
      iconButton("forward", "one frame on (right arrow)", () => step(1)),
      element("div", { class: "middle" }, track, this.legend()),
      this.clock,
      this.speed,
    );
    this.show();
  }

  show(): void {
    const { player } = this;
    setIcon(this.play, player.playing ? "pause" : "play");
    this.slider.value = `${player.time}`;
    this.slider.style.setProperty("--done", `${(100 * (player.time - player.begin)) / (player.end - player.begin || 1)}%`);
    this.slider.setAttribute("aria-valuetext", `${player.time.toFixed(3)} seconds`);
    this.clock.textContent = `${player.time.toFixed(3)} s`;
    this.speed.value = `${player.speed}`;
  }

  drawEvents(): void {
    const { pen, width, height } = fitCanvas(this.marks);
    const { begin, end } = this.player;
    const row = height / this.results.length;
    this.results.forEach((result, k) => {
      for (const event of result.events) {
        const x = 7 + ((width - 14) * (event.time - begin)) / (end - begin || 1); // the slider's knob is 14 wide
        pen.fillStyle = this.colour(event.kind);
        pen.fillRect(x - 0.75, k * row + 1, 1.5, row - 2);
      }
    });
  }

  private colour(kind: string): string {
    return cssColour(KIND_COLOURS[kind] ?? "--event-other");
  }

  private legend(): HTMLElement {
    const items = this.kinds.map((kind) => {
      return element("span", { class: `kind ${kind in KIND_COLOURS ? kind : "other"}` }, kind);
    });
    return element("div", { class: "legend" }, ...items);
  }
}
