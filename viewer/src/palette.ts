// palette.ts - colours of bodies and marks, for light and dark pages. Those of the page itself are in style.css.
import { Color } from "three";

const BODIES = ["#4c7fb5", "#e0934a", "#5ba47c", "#c9636c", "#8d78bd", "#bda042", "#49a2b3", "#b07a5e"];
const FIXED = { light: "#b9bec4", dark: "#5b636d" };
const DRIVEN = { light: "#7d8894", dark: "#8b97a5" };

export interface Marks {
  background: string;
  outline: string;
  grid: string;
  ground: string;
  relief: string;
  contact: string;
  force: string;
  link: string;
  chosen: string;
}

const MARKS: Record<"light" | "dark", Marks> = {
  light: {
    background: "#f6f7f8",
    outline: "#22303c",
    grid: "#8d98a3",
    ground: "#e3e6e9",
    relief: "#aeb7c0",
    contact: "#1d2a35",
    force: "#d6402f",
    link: "#5a6673",
    chosen: "#0b6bff",
  },
  dark: {
    background: "#14181d",
    outline: "#e6edf3",
    grid: "#6b7681",
    ground: "#20262d",
    relief: "#4a545f",
    contact: "#f2f5f7",
    force: "#ff7a62",
    link: "#a5b0bb",
    chosen: "#6db1ff",
  },
};

export type Theme = keyof typeof MARKS;

export const marksOf = (theme: Theme): Marks => MARKS[theme];

// Few bodies have a colour each; of many, those of one sort share one, and differ a little in lightness.
export function bodyColour(theme: Theme, type: string, number: number, kind: number, many: boolean): Color {
  if (type === "fixed") return new Color(FIXED[theme]);
  if (type === "driven") return new Color(DRIVEN[theme]);
  const colour = new Color(BODIES[(many ? kind : number) % BODIES.length]);
  const shade = many ? 0.07 * (((number * 0.618034) % 1) * 2 - 1) : 0;
  return colour.offsetHSL(0, 0, shade + (theme === "dark" ? 0.03 : 0));
}

const STRAIN = { shorter: new Color("#2763b0"), longer: new Color("#e07b1f") };
const RELAXED = { light: new Color("#c3ccd5"), dark: new Color("#76828f") };

// Of an element whose strain is this part, -1 to 1, of the largest one.
export function strainColour(theme: Theme, part: number, out: Color): Color {
  return out.copy(RELAXED[theme]).lerp(part < 0 ? STRAIN.shorter : STRAIN.longer, Math.min(1, Math.abs(part)));
}

const STRESS = ["#3b4ba0", "#2f86b8", "#43b58f", "#b8cf4a", "#f4b43c", "#d8472b"].map((text) => new Color(text));

export const stressGradient = (): string[] => STRESS.map((colour) => `#${colour.getHexString()}`);

// Of a place whose stress is this part, 0 to 1, of the largest one.
export function stressColour(part: number, out: Color): Color {
  const at = Math.min(1, Math.max(0, part || 0)) * (STRESS.length - 1);
  const below = Math.min(STRESS.length - 2, Math.floor(at));
  return out.copy(STRESS[below]).lerp(STRESS[below + 1], at - below);
}

// Curves of plots, one colour per result.
export const curveColour = (k: number): string => BODIES[k % BODIES.length];
