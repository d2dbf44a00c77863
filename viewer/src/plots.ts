// plots.ts - numbers over time, linked with the player: a line marks the present time, a click or a drag seeks.
//
// Each column of pixels shows the smallest and the largest number in it, so that no peak is lost. Axes and curves are drawn once
// for each size and theme, and kept as a picture; only the line of the present time is drawn anew.
import type { Result } from "./data";
import { cssColour, element, fitCanvas, short } from "./dom";
import { curveColour } from "./palette";
import type { Player } from "./player";

const LEFT = 56; // pixels for the numbers of the vertical axis
const RIGHT = 8;
const TOP = 6;
const BOTTOM = 6;

interface Curve {
  result: Result;
  numbers: Float64Array;
  colour: () => string;
  dash: number[];
}

// Heights of a curve within one column of pixels.
interface Column {
  pixel: number;
  first: number;
  low: number;
  high: number;
  last: number;
  joined: boolean; // with the column before
}

interface Axis {
  low: number;
  high: number;
  ticks: number[];
}

function niceStep(span: number): number {
  const power = 10 ** Math.floor(Math.log10(span / 3));
  return power * [1, 2, 5, 10].find((digit) => (digit * power * 4) >= span)!;
}

// With 0 on it.
function linearAxis(least: number, most: number): Axis {
  const low = Math.min(0, least);
  const high = Math.max(0, most);
  const span = high - low || 1;
  const step = niceStep(span);
  const from = Math.floor(low / step + 1e-9);
  const to = Math.max(Math.ceil(high / step - 1e-9), from + 1);
  const ticks = Array.from({ length: to - from + 1 }, (_, k) => (from + k) * step);
  return { low: ticks[0], high: ticks[ticks.length - 1], ticks };
}

// Ticks at powers of ten; the numbers are logarithms.
function logAxis(low: number, high: number): Axis {
  const from = Math.floor(low);
  const to = Math.max(from + 1, Math.ceil(high));
  const step = Math.max(1, Math.ceil((to - from) / 3));
  const ticks = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => from + k * step);
  return { low: from, high: to, ticks };
}

export class Plot {
  readonly root: HTMLElement;
  readonly canvas = element("canvas", { class: "plot" });
  private readonly value = element("span", { class: "value" });
  private readonly kept = document.createElement("canvas"); // axes and curves
  private keptFor = "";
  private accent = ""; // colour of the line of the present time
  private readonly axis: Axis;

  constructor(
    title: string,
    private readonly unit: string,
    private readonly curves: Curve[],
    private readonly player: Player,
    private readonly logarithmic = false,
  ) {
    this.axis = this.findAxis();
    this.root = element("figure", {}, element("figcaption", {}, element("span", {}, title), this.value), this.canvas);
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${title} over time`);
    const seek = (event: PointerEvent) => this.seek(event);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && seek(event));
  }

  draw(): void {
    const { pen, width, height } = fitCanvas(this.canvas);
    if (width === 0) return;
    const key = [this.canvas.width, this.canvas.height, document.documentElement.dataset.theme].join();
    if (key !== this.keptFor) this.keep(pen, width, height);
    this.keptFor = key;
    pen.drawImage(this.kept, 0, 0, width, height);
    this.drawCursor(pen, width, height);
    this.value.textContent = this.reading();
  }

  private keep(like: CanvasRenderingContext2D, width: number, height: number): void {
    this.accent = cssColour("--accent");
    this.kept.width = this.canvas.width;
    this.kept.height = this.canvas.height;
    const pen = this.kept.getContext("2d")!;
    pen.setTransform(like.getTransform());
    this.drawAxis(pen, width, height);
    for (const curve of this.curves) this.drawCurve(pen, width, height, curve);
  }

  // What the first curve of every result says at the present time.
  reading(): string {
    return this.curves
      .filter((curve) => curve.dash.length === 0)
      .map((curve) => curve.numbers[curve.result.frameAt(this.player.time)])
      .map((number) => short(number, 4) + (this.unit && Number.isFinite(number) ? ` ${this.unit}` : ""))
      .join("  ");
  }

  private findAxis(): Axis {
    let low = Infinity;
    let high = -Infinity;
    for (const curve of this.curves) {
      for (const number of curve.numbers) {
        const y = this.shown(number);
        if (Number.isFinite(y)) (low = Math.min(low, y)), (high = Math.max(high, y));
      }
    }
    if (low > high) return this.logarithmic ? { low: -16, high: 0, ticks: [-16, -8, 0] } : linearAxis(0, 1);
    return this.logarithmic ? logAxis(low, high) : linearAxis(low, high);
  }

  private shown(number: number): number {
    return this.logarithmic ? Math.log10(number) : number;
  }

  private x(t: number, width: number): number {
    const { begin, end } = this.player;
    return LEFT + ((width - LEFT - RIGHT) * (t - begin)) / (end - begin || 1);
  }

  private y(value: number, height: number): number {
    const { low, high } = this.axis;
    return height - BOTTOM - ((height - TOP - BOTTOM) * (value - low)) / (high - low);
  }

  private drawAxis(pen: CanvasRenderingContext2D, width: number, height: number): void {
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    for (const tick of this.axis.ticks) {
      const y = Math.round(this.y(tick, height)) + 0.5;
      pen.strokeStyle = cssColour("--rule");
      pen.beginPath();
      pen.moveTo(LEFT, y);
      pen.lineTo(width - RIGHT, y);
      pen.stroke();
      pen.fillStyle = cssColour("--quiet");
      pen.fillText(short(this.logarithmic ? 10 ** tick : tick, 2), LEFT - 6, y);
    }
  }

  // The curve as at most four heights in each column of pixels.
  private columns(width: number, height: number, curve: Curve): Column[] {
    const columns: Column[] = [];
    let joined = false; // with the number before, which can be drawn too
    curve.numbers.forEach((number, k) => {
      const value = this.shown(number);
      const pixel = Math.round(this.x(curve.result.time[k], width));
      const y = this.y(value, height);
      const last = columns.at(-1);
      if (Number.isFinite(value) && joined && last?.pixel === pixel) {
        Object.assign(last, { low: Math.min(last.low, y), high: Math.max(last.high, y), last: y });
      } else if (Number.isFinite(value)) {
        columns.push({ pixel, first: y, low: y, high: y, last: y, joined });
      }
      joined = Number.isFinite(value);
    });
    return columns;
  }

  private drawCurve(pen: CanvasRenderingContext2D, width: number, height: number, curve: Curve): void {
    pen.strokeStyle = curve.colour();
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    pen.setLineDash(curve.dash);
    pen.beginPath();
    for (const column of this.columns(width, height, curve)) {
      if (column.joined) pen.lineTo(column.pixel, column.first);
      else pen.moveTo(column.pixel - 1.5, column.first), pen.lineTo(column.pixel, column.first); // alone it is a dot
      const { low, high, last, first } = column;
      if (low < Math.min(first, last)) pen.lineTo(column.pixel, low);
      if (high > Math.max(first, last)) pen.lineTo(column.pixel, high);
      pen.lineTo(column.pixel, last);
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  private drawCursor(pen: CanvasRenderingContext2D, width: number, height: number): void {
    const x = this.x(this.player.time, width);
    pen.strokeStyle = this.accent;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
    pen.stroke();
  }

  private seek(event: PointerEvent): void {
    const frame = this.canvas.getBoundingClientRect();
    const s = (event.clientX - frame.left - LEFT) / (frame.width - LEFT - RIGHT);
    this.player.seek(this.player.begin + s * (this.player.end - this.player.begin));
  }
}

export function makePlots(results: Result[], player: Player): Plot[] {
  const curve = (result: Result, k: number, numbers: Float64Array, dash: number[] = []): Curve => ({
    result,
    numbers,
    colour: () => (results.length > 1 ? curveColour(k) : cssColour("--curve")),
    dash,
  });
  const each = (name: string) => results.map((result, k) => curve(result, k, result.series(name)));
  const energy = results.flatMap((result, k) => {
    const [kinetic, potential] = [result.series("kinetic"), result.series("potential")];
    return [
      curve(result, k, kinetic.map((x, i) => x + potential[i])),
      curve(result, k, kinetic, [4, 3]),
    ];
  });
  return [
    new Plot("Energy (dashed: kinetic)", "J", energy, player),
    new Plot("Smallest gap", "m", each("gap"), player),
    new Plot("Contact residual", "", each("residual"), player, true),
  ];
}
