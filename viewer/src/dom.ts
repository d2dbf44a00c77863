// dom.ts - elements of the page. Text goes in as text, never as HTML: names come from scenes.

type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function button(label: string, title: string, act: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title, "aria-label": title }, label);
  made.addEventListener("click", act);
  return made;
}

// Drawings of the buttons: paths in a square of 24.
const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M18 6v12l-8.5-6zM6 6h2.4v12H6z",
  forward: "M6 6v12l8.5-6zM15.6 6H18v12h-2.4z",
  reset: "M4 9V4h5v2H6v3zM20 9V4h-5v2h3v3zM4 15v5h5v-2H6v-3zM20 15v5h-5v-2h3v-3z",
  follow: "M11 2h2v3.1A7 7 0 0 1 18.9 11H22v2h-3.1A7 7 0 0 1 13 18.9V22h-2v-3.1A7 7 0 0 1 5.1 13H2v-2h3.1A7 7 0 0 1 11 5.1zM12 7a5 5 0 1 0 0 10a5 5 0 0 0 0-10zM12 10a2 2 0 1 1 0 4a2 2 0 0 1 0-4z",
  theme: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zM12 5v14a7 7 0 0 1 0-14z",
  help: "M11 17h2v2h-2zM12 5a4 4 0 0 0-4 4h2a2 2 0 1 1 3.2 1.6C11.9 11.6 11 12.4 11 15h2c0-1.6.6-2 1.6-2.8A4 4 0 0 0 12 5z",
  panel: "M4 5h16v14H4zM14 7v10h4V7z",
} as const;

export type Icon = keyof typeof ICONS;

export function setIcon(target: HTMLElement, icon: Icon): void {
  if (target.dataset.icon === icon) return;
  target.dataset.icon = icon;
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[icon]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  target.replaceChildren(svg);
}

export function iconButton(icon: Icon, title: string, act: () => void): HTMLButtonElement {
  const made = button("", title, act);
  made.classList.add("icon");
  setIcon(made, icon);
  return made;
}

const minus = (text: string): string => text.replace(/-/g, "\u2212");

// A number with a fixed number of digits behind the point, so that it does not jump while it changes.
export function fixed(x: number, digits: number): string {
  return minus(Math.abs(x) < 1e5 ? (Math.abs(x) < 0.5 * 10 ** -digits ? 0 : x).toFixed(digits) : x.toExponential(digits));
}

// A number of any size, in few letters.
export function short(x: number, digits: number): string {
  if (!Number.isFinite(x)) return "\u2013";
  const size = Math.abs(x);
  const plain = size === 0 || (size >= 1e-2 && size < 1e4);
  return minus(plain ? String(Number(x.toPrecision(digits))) : Number(x.toPrecision(digits)).toExponential().replace("e+", "e"));
}

// The canvas in device pixels, and its size on the page.
export function fitCanvas(canvas: HTMLCanvasElement): { pen: CanvasRenderingContext2D; width: number; height: number } {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = Math.min(2, devicePixelRatio);
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d")!;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width, height };
}

export const cssColour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
