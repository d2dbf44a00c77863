// links.ts - what holds bodies together: joints as dots, rods and springs as lines, and sticks for bodies without shapes.
//
// An end of a line is a point in the frame of a body, or of the world. A body without shapes is drawn as sticks from its centre
// to its joints.
import { Group, InstancedMesh, Matrix4, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import type { Result } from "./data";
import { Ends, vector, type End } from "./ends";
import { isElement } from "./flexible";
import { marksOf, type Theme } from "./palette";
import type { Joint } from "./scene";
import { rodGeometry, Segments } from "./segments";

const WINDINGS = 9;

interface Line {
  ends: [End, End];
  spring: boolean;
}

export class Links {
  readonly group = new Group();
  private readonly lines: Line[] = [];
  private readonly dots: End[] = [];
  private readonly from: Ends;
  private readonly rods: Segments;
  private readonly dotMesh: InstancedMesh;
  private readonly dotMaterial = new MeshBasicMaterial();

  constructor(
    private readonly result: Result,
    private readonly size: number,
  ) {
    this.from = new Ends(result);
    for (const joint of result.scene.joints ?? []) if (!isElement(result.scene, joint)) this.addJoint(joint);
    for (const force of result.scene.forces ?? []) {
      if (force.bodies) this.lines.push({ spring: true, ends: this.ends(force.bodies, force.anchors) });
    }
    this.addLonely();
    this.rods = new Segments(rodGeometry(), this.lines.reduce((n, line) => n + (line.spring ? WINDINGS * 2 + 2 : 1), 0));
    this.dotMesh = new InstancedMesh(new SphereGeometry(0.009 * size, 16, 12), this.dotMaterial, Math.max(1, this.dots.length));
    this.dotMesh.count = this.dots.length;
    this.dotMesh.frustumCulled = false;
    this.group.add(this.rods.mesh, this.dotMesh);
    this.group.position.z = result.head.dimension === 2 ? 0.003 * size : 0; // in front of the bodies
  }

  setTheme(theme: Theme): void {
    this.rods.material.color.set(marksOf(theme).link);
    this.dotMaterial.color.set(marksOf(theme).outline);
  }

  show(t: number): void {
    const a = new Vector3();
    const b = new Vector3();
    this.rods.clear();
    for (const line of this.lines) {
      this.from.place(t, line.ends[0], a);
      this.from.place(t, line.ends[1], b);
      if (line.spring) this.addSpring(a, b);
      else this.rods.add(a, b.sub(a), 0.0038 * this.size);
    }
    const at = new Matrix4();
    this.dots.forEach((dot, k) => this.dotMesh.setMatrixAt(k, at.setPosition(this.from.place(t, dot, a))));
    this.dotMesh.instanceMatrix.needsUpdate = true;
  }

  private ends(bodies: [string, string], anchors?: [number[], number[]]): [End, End] {
    return [this.from.of(bodies[0], anchors?.[0]), this.from.of(bodies[1], anchors?.[1])];
  }

  private addJoint(joint: Joint): void {
    const ends = joint.at
      ? (joint.bodies.map((name) => this.from.at(name, vector(joint.at))) as [End, End])
      : this.ends(joint.bodies, joint.anchors);
    if (joint.type === "distance") {
      this.lines.push({ ends, spring: false });
    } else if (joint.anchors || joint.at) {
      this.dots.push(ends[1]);
    }
    ends.forEach((end, k) => this.addStick(end, joint.anchors || joint.at ? end : ends[1 - k]));
  }

  private isBare(body: number): boolean {
    return body >= 0 && (this.result.scene.bodies[body].shapes ?? []).length === 0;
  }

  private addStick(from: End, to: End): void {
    if (!this.isBare(from.body)) return;
    this.lines.push({ ends: [{ body: from.body, local: new Vector3() }, to], spring: false });
  }

  // Bodies that nothing else shows are dots.
  private addLonely(): void {
    const shown = new Set(this.lines.flatMap((line) => line.ends.map((end) => end.body)));
    this.result.scene.bodies.forEach((body, b) => {
      if (this.isBare(b) && (body.type === "particle" || !shown.has(b))) this.dots.push({ body: b, local: new Vector3() });
    });
  }

  private addSpring(a: Vector3, b: Vector3): void {
    const along = b.clone().sub(a);
    const side = new Vector3(-along.y, along.x, 0);
    if (side.length() < 1e-6 * along.length()) side.set(1, 0, 0);
    side.setLength(0.016 * this.size);
    const points = [a.clone()];
    for (let k = 0; k <= 2 * WINDINGS; k++) {
      const s = 0.1 + (0.8 * k) / (2 * WINDINGS);
      const sign = k === 0 || k === 2 * WINDINGS ? 0 : k % 2 === 0 ? -1 : 1;
      points.push(a.clone().addScaledVector(along, s).addScaledVector(side, sign));
    }
    points.push(b.clone());
    for (let k = 0; k + 1 < points.length; k++) this.rods.add(points[k], points[k + 1].clone().sub(points[k]), 0.0025 * this.size);
  }
}
