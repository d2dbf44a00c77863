// trails.ts - the paths of the centres of bodies up to the present time. Of many bodies only the chosen one has a trail.
import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial } from "three";
import type { Result } from "./data";
import { newPose } from "./data";
import { bodyColour, type Theme } from "./palette";

const MOST_TRAILS = 24;
const MOST_POINTS = 4000;

interface Trail {
  body: number;
  line: Line<BufferGeometry, LineBasicMaterial>;
  times: number[];
}

export class Trails {
  readonly group = new Group();
  private trails: Trail[] = [];
  private theme: Theme = "light";

  constructor(private readonly result: Result) {
    const rigid = result.head.moving.filter((mover) => result.scene.bodies[mover.body].type !== "driven");
    if (rigid.length <= MOST_TRAILS) this.trails = rigid.map((mover) => this.draw(mover.body));
  }

  choose(body: number): void {
    if (body < 0 || !this.result.moves(body) || this.trails.some((trail) => trail.body === body)) return;
    if (this.trails.length > MOST_TRAILS) this.drop(this.trails.pop()!);
    this.trails.push(this.draw(body));
    this.setTheme(this.theme);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    for (const trail of this.trails) {
      trail.line.material.color.copy(bodyColour(theme, this.result.scene.bodies[trail.body].type, trail.body, 0, false));
    }
  }

  show(t: number): void {
    for (const trail of this.trails) {
      let n = 0;
      while (n < trail.times.length && trail.times[n] <= t) n++;
      trail.line.geometry.setDrawRange(0, n);
    }
  }

  private draw(body: number): Trail {
    const step = Math.max(1, Math.ceil(this.result.frames / MOST_POINTS));
    const pose = newPose();
    const position: number[] = [];
    const times: number[] = [];
    for (let f = 0; f < this.result.frames; f += step) {
      this.result.poseIn(f, body, pose).position.toArray(position, position.length);
      times.push(this.result.time[f]);
    }
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(position, 3));
    const line = new Line(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.75 }));
    line.frustumCulled = false;
    this.group.add(line);
    return { body, line, times };
  }

  private drop(trail: Trail): void {
    this.group.remove(trail.line);
    trail.line.geometry.dispose();
  }
}
