// keys.ts - the keyboard, and the card that explains it.
import { element } from "./dom";

export const HELP: [string, string][] = [
  ["Space", "play or pause"],
  ["\u2190 \u2192", "one frame back or on; with Shift ten"],
  ["Home End", "to the beginning or the end"],
  ["+ \u2212", "faster or slower"],
  ["E", "to the next event"],
  ["N P", "choose the next or the previous body"],
  ["F", "follow the chosen body"],
  ["R", "show everything again"],
  ["C A T J", "contacts, force arrows, trails, joints"],
  ["D", "light or dark"],
  ["H", "hide or show the panel"],
  ["?", "this card"],
];

export function helpCard(): HTMLDialogElement {
  const rows = HELP.map(([key, text]) => element("tr", {}, element("th", { scope: "row" }, key), element("td", {}, text)));
  const close = element("button", { type: "submit" }, "Close");
  return element(
    "dialog",
    { class: "card" },
    element("h2", {}, "Keys"),
    element("table", {}, ...rows),
    element("p", { class: "hint" }, "Drag to turn, or to move in 2D. Wheel or two fingers zoom. Click a body to choose it."),
    element("form", { method: "dialog" }, close),
  );
}

export type Actions = Record<string, (event: KeyboardEvent) => void>;

// Letters work in either case; keys that a control needs itself are left to it.
export function listenToKeys(actions: Actions): void {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const busy = target.matches("select, dialog *") || (event.key === " " && target.matches("button, input[type=checkbox]"));
    const act = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (busy || !act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event);
  });
}
