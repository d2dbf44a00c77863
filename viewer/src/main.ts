// main.ts - puts the page together: results, views side by side, panel, timeline, keyboard.
//
// The part of the address behind # may say what to show at first: t=1.5 the time, dark or light the theme, bare the picture
// alone, still nothing that plays, body=NAME a chosen body, trails; film and picture write pictures into the document.
import "./style.css";
import { newPose, readResults, type Result } from "./data";
import { element, iconButton } from "./dom";
import { takePictures } from "./film";
import { helpCard, listenToKeys } from "./keys";
import type { Theme } from "./palette";
import { Pace } from "./pace";
import { Panel } from "./panel";
import { Player } from "./player";
import { makePlots } from "./plots";
import { Timeline } from "./timeline";
import { View } from "./view";

class App {
  readonly player: Player;
  readonly views: View[];
  private readonly panel: Panel;
  private readonly timeline: Timeline;
  private readonly pace = new Pace();
  private readonly root = document.getElementById("app")!;
  private readonly help = helpCard();
  private readonly request = new URLSearchParams(location.hash.slice(1));
  private theme: Theme = "light";
  private chosen = "";
  private stale = true;
  private last = 0;

  constructor(readonly results: Result[]) {
    this.player = new Player(Math.min(...results.map((r) => r.begin)), Math.max(...results.map((r) => r.end)));
    this.views = results.map((result) => new View(result));
    this.panel = new Panel(results, makePlots(results, this.player));
    this.timeline = new Timeline(this.player, results, (by) => this.step(by));
    this.build();
    this.connect();
    this.setTheme(this.firstTheme());
    this.panel.begin();
    this.begin();
    requestAnimationFrame((now) => this.frame(now));
  }

  choose(name: string): void {
    this.chosen = name;
    this.panel.choose(name);
    for (const view of this.views) view.choose(this.numberIn(view.result));
    this.stale = true;
  }

  // The pose of a body as it is drawn, for tests and scripts.
  pose(result: number, name: string, time = this.player.time): { position: number[]; angle: number; orientation: number[] } {
    const { scene } = this.results[result];
    const pose = this.results[result].poseAt(time, scene.bodies.findIndex((body) => body.name === name), newPose());
    const { x, y, z, w } = pose.orientation;
    return { position: pose.position.toArray(), angle: pose.angle, orientation: [w, x, y, z] };
  }

  // ---- building ------------------------------------------------------------------------------------

  private build(): void {
    const { scene } = this.results[0];
    const title = scene.name || this.results[0].head.file;
    document.title = `${title} \u2013 slipstick`;
    const header = element(
      "header",
      {},
      element("h1", { title: scene.description ?? "" }, title),
      element("span", { class: "hint" }, this.subtitle()),
      element("span", { class: "space" }),
      iconButton("follow", "follow the chosen body (F)", () => this.follow()),
      iconButton("reset", "show everything again (R)", () => this.reset()),
      iconButton("theme", "light or dark (D)", () => this.setTheme(this.theme === "light" ? "dark" : "light")),
      iconButton("panel", "hide or show the panel (H)", () => this.togglePanel()),
      iconButton("help", "keys (?)", () => this.help.showModal()),
    );
    const stages = element("main", { class: "views" }, ...this.views.map((view) => this.frameOf(view)));
    this.root.append(header, stages, this.panel.root, this.timeline.root, this.help);
  }

  private subtitle(): string {
    if (this.results.length > 1) return `${this.results.length} results`;
    const { head } = this.results[0];
    const thin = head.frames < head.states ? `, ${head.frames} of ${head.states} states` : "";
    const bodies = head.moving.length === 1 ? "one moving body" : `${head.moving.length} moving bodies`;
    return `${head.scheme}, ${bodies}${thin}`;
  }

  private frameOf(view: View): HTMLElement {
    const { head } = view.result;
    const label = this.results.length > 1 ? [element("span", { class: "label" }, `${head.scheme} \u2013 ${head.file.replace(/.*\//, "")}`)] : [];
    const legend = view.legend ? [view.legend] : [];
    return element("div", { class: "view" }, view.canvas, ...label, ...legend);
  }

  private connect(): void {
    this.player.listen(() => (this.stale = true));
    this.panel.onLayer = (layer, on) => {
      for (const view of this.views) view.setLayer(layer, on);
      this.stale = true;
    };
    this.panel.onChoose = (name) => this.choose(name);
    for (const view of this.views) {
      view.onPick = (body) => this.choose(body < 0 ? "" : view.result.scene.bodies[body].name);
      view.camera.controls.addEventListener("change", () => {
        for (const other of this.views) if (other !== view) other.camera.copy(view.camera);
        this.stale = true;
      });
    }
    new ResizeObserver(() => this.resize()).observe(this.root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(this.firstTheme()));
    this.listenToKeys();
  }

  private listenToKeys(): void {
    const layer = (event: KeyboardEvent) => this.panel.toggle(event.key);
    listenToKeys({
      " ": () => this.player.toggle(),
      ArrowLeft: (event) => this.step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => this.step(event.shiftKey ? 10 : 1),
      Home: () => this.player.seek(this.player.begin),
      End: () => this.player.seek(this.player.end),
      "+": () => this.player.changeSpeed(1),
      "=": () => this.player.changeSpeed(1),
      "-": () => this.player.changeSpeed(-1),
      e: () => this.nextEvent(),
      n: () => this.choose(this.panel.neighbour(1)),
      p: () => this.choose(this.panel.neighbour(-1)),
      f: () => this.follow(),
      r: () => this.reset(),
      d: () => this.setTheme(this.theme === "light" ? "dark" : "light"),
      h: () => this.togglePanel(),
      c: layer,
      a: layer,
      t: layer,
      j: layer,
      "?": () => this.help.showModal(),
      Escape: () => this.choose(""),
    });
  }

  // What the address asks for.
  private begin(): void {
    const { request } = this;
    const film = request.has("film");
    const pictures = film || request.has("picture");
    document.body.classList.toggle("bare", request.has("bare") || pictures);
    document.body.classList.toggle("pictures", pictures);
    if (innerWidth < 700) document.body.classList.add("no-panel");
    if (request.has("trails")) this.panel.setLayer("trails", true);
    this.resize();
    this.choose(request.get("body") ?? "");
    this.player.seek(Number(request.get("t") ?? this.player.begin));
    if (pictures) takePictures({ views: this.views, player: this.player, showAt: (time) => this.showAt(time) }, film);
    else if (!request.has("t") && !request.has("still") && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.player.toggle();
  }

  // ---- acting --------------------------------------------------------------------------------------

  private numberIn(result: Result): number {
    return this.chosen === "" ? -1 : result.scene.bodies.findIndex((body) => body.name === this.chosen);
  }

  private firstTheme(): Theme {
    if (this.request.has("dark") || this.request.has("light")) return this.request.has("dark") ? "dark" : "light";
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  private setTheme(theme: Theme): void {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    for (const view of this.views) view.setTheme(theme);
    this.timeline.drawEvents();
    this.stale = true;
  }

  private step(by: number): void {
    const [result] = this.results;
    const frame = result.frameAt(this.player.time) + by;
    this.player.playing = false;
    this.player.seek(result.time[Math.min(result.frames - 1, Math.max(0, frame))]);
  }

  private nextEvent(): void {
    const times = this.results.flatMap((result) => result.events.map((event) => event.time));
    const later = times.filter((time) => time > this.player.time + 1e-9);
    if (later.length > 0) this.player.seek(later.reduce((a, b) => Math.min(a, b)));
  }

  private follow(): void {
    for (const view of this.views) view.follow(view.following >= 0 ? -1 : this.numberIn(view.result));
  }

  private reset(): void {
    for (const view of this.views) {
      view.follow(-1);
      view.camera.reset();
    }
    this.stale = true;
  }

  private togglePanel(): void {
    document.body.classList.toggle("no-panel");
    this.resize();
  }

  private resize(): void {
    for (const view of this.views) view.resize();
    this.timeline.drawEvents();
    this.stale = true;
  }

  // ---- pictures ------------------------------------------------------------------------------------

  private frame(now: number): void {
    const seconds = (now - this.last) / 1000;
    this.last = now;
    this.player.advance(Math.min(0.1, seconds));
    this.pace.take(seconds, this.player.playing);
    for (const view of this.views) if (view.setPixels(this.pace.share)) this.stale = true;
    if (this.stale) this.show();
    requestAnimationFrame((next) => this.frame(next));
  }

  private showAt(time: number): void {
    this.player.seek(time);
    this.show();
  }

  private show(): void {
    this.stale = false;
    for (const view of this.views) {
      view.show(this.player.time);
      view.draw();
    }
    this.timeline.show();
    this.panel.show(this.player.time);
    for (const plot of this.panel.plots) plot.draw();
    this.pictures++;
  }

  pictures = 0; // drawn so far
}

function start(): void {
  const results = readResults();
  const say = (text: string) => document.getElementById("app")!.append(element("p", { class: "message" }, text));
  if (results.length === 0) {
    say("This is the empty viewer. Make a page with results by: slipstick view RESULT.h5");
    return;
  }
  try {
    Object.assign(window, { slipstick: new App(results) });
  } catch (error) {
    say(`This page cannot be shown: ${error instanceof Error ? error.message : error}. It needs a browser with WebGL 2.`);
    throw error;
  }
}

start();
