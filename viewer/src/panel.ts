// panel.ts - the side panel: what is shown, the chosen body and its state, plots.
import { Euler } from "three";
import { newPose, type Result } from "./data";
import { element, fixed, short } from "./dom";
import type { Plot } from "./plots";
import type { Layer } from "./view";

const MOST_LISTED = 2000;

const CROWDED = 100; // contacts of a frame; of more, they are not shown at first

const LAYERS: { layer: Layer; label: string; key: string; on: boolean }[] = [
  { layer: "contacts", label: "Contacts", key: "C", on: true },
  { layer: "forces", label: "Forces", key: "A", on: true },
  { layer: "trails", label: "Trails", key: "T", on: false },
  { layer: "joints", label: "Joints", key: "J", on: true },
];

export class Panel {
  readonly root: HTMLElement;
  onLayer: (layer: Layer, on: boolean) => void = () => {};
  onChoose: (name: string) => void = () => {};
  private readonly state = element("div", { class: "state" });
  private readonly hint = element("p", { class: "hint" }, "Click a body to see its state.");
  private readonly list = element("select", { "aria-label": "body", title: "choose a body (N: next, P: previous)" });
  private readonly boxes = new Map<Layer, HTMLInputElement>();
  private readonly names: string[];
  private chosen = "";

  constructor(
    private readonly results: Result[],
    readonly plots: Plot[],
  ) {
    this.names = results[0].scene.bodies.map((body) => body.name);
    this.list.append(element("option", { value: "" }, "none"));
    for (const name of this.names.slice(0, MOST_LISTED)) this.list.append(element("option", { value: name }, name));
    this.list.addEventListener("change", () => this.onChoose(this.list.value));
    this.root = element(
      "aside",
      { class: "panel", "aria-label": "details" },
      element("section", {}, element("div", { class: "layers" }, ...LAYERS.map((item) => this.layerBox(item)))),
      element("section", {}, element("h2", {}, "Body"), this.list, this.state),
      element("section", { class: "plots" }, ...plots.map((plot) => plot.root)),
    );
  }

  begin(): void {
    const crowded = this.results.some((result) => result.mostContacts > CROWDED);
    for (const { layer, on } of LAYERS) this.setLayer(layer, on && !(crowded && (layer === "contacts" || layer === "forces")));
  }

  setLayer(layer: Layer, on: boolean): void {
    this.boxes.get(layer)!.checked = on;
    this.onLayer(layer, on);
  }

  toggle(key: string): boolean {
    const item = LAYERS.find((entry) => entry.key === key.toUpperCase());
    if (item) this.setLayer(item.layer, !this.boxes.get(item.layer)!.checked);
    return item !== undefined;
  }

  // A body that is not listed, because there are so many, is added.
  choose(name: string): void {
    this.chosen = name;
    this.list.value = name;
    if (this.list.value !== name) this.list.append(element("option", { value: name, selected: "" }, name));
  }

  // The name after (1) or before (-1) the chosen one.
  neighbour(by: number): string {
    const place = this.names.indexOf(this.chosen);
    const n = this.names.length;
    return this.names[(((place < 0 && by < 0 ? 0 : place) + by) % n + n) % n];
  }

  show(time: number): void {
    if (this.chosen === "") {
      if (this.state.firstChild !== this.hint) this.state.replaceChildren(this.hint);
      return;
    }
    this.state.replaceChildren(...this.results.map((result) => this.table(result, time)));
  }

  private layerBox(item: (typeof LAYERS)[number]): HTMLElement {
    const box = element("input", { type: "checkbox" });
    box.addEventListener("change", () => this.onLayer(item.layer, box.checked));
    this.boxes.set(item.layer, box);
    return element("label", { title: `${item.label.toLowerCase()} (key ${item.key})` }, box, item.label);
  }

  private table(result: Result, time: number): HTMLElement {
    const body = result.scene.bodies.findIndex((entry) => entry.name === this.chosen);
    if (body < 0) return element("p", { class: "hint" }, "not in this result");
    const rows = [...this.poseRows(result, body, time), ...this.motionRows(result, body, time), ...this.contactRows(result, body, time)];
    return element(
      "table",
      {},
      ...(this.results.length > 1 ? [element("caption", {}, result.head.scheme)] : []),
      ...rows.map(([label, ...values]) => element("tr", {}, element("th", { scope: "row" }, label), element("td", {}, values.join("  ")))),
    );
  }

  private poseRows(result: Result, body: number, time: number): string[][] {
    const pose = result.poseAt(time, body, newPose());
    const { dimension } = result.head;
    const digits = dimension === 2 ? 4 : 3;
    const rows = [
      ["type", result.scene.bodies[body].type],
      ["position, m", ...pose.position.toArray().slice(0, dimension).map((x) => fixed(x, digits))],
    ];
    if (!result.turns(body)) return rows;
    if (dimension === 2) return [...rows, ["angle, rad", fixed(pose.angle, digits)]];
    const { x, y, z } = new Euler().setFromQuaternion(pose.orientation);
    return [...rows, ["turn xyz, rad", ...[x, y, z].map((a) => fixed(a, digits))]];
  }

  private motionRows(result: Result, body: number, time: number): string[][] {
    const velocity = result.velocityIn(result.frameAt(time), body);
    if (!velocity) return [];
    const rows = [
      ["velocity, m/s", ...velocity.linear.map((x) => fixed(x, 3))],
      ["speed, m/s", fixed(Math.hypot(...velocity.linear), 3)],
    ];
    return velocity.angular.length === 0 ? rows : [...rows, ["rate, rad/s", ...velocity.angular.map((x) => fixed(x, 3))]];
  }

  private contactRows(result: Result, body: number, time: number): string[][] {
    const { first, count } = result.contactsIn(result.frameAt(time));
    let touching = 0;
    let force = 0;
    for (let k = first; k < first + count; k++) {
      const contact = result.contact(k);
      if (!contact.bodies.includes(body)) continue;
      touching++;
      force = Math.max(force, contact.force.length());
    }
    return touching === 0 ? [["contacts", "0"]] : [["contacts", `${touching}`], ["largest force, N", short(force, 4)]];
  }
}
