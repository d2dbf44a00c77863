// contacts.ts - contact points as dots and contact forces as arrows, each on the body that is free to move.
//
// The length of an arrow is proportional to the force, up to a limit: the force that one contact in ten exceeds has an arrow as
// long as TYPICAL of the size of the scene, or as two bodies where bodies are smaller than that; the longest arrow is LONGEST
// times as long.
import { BufferAttribute, BufferGeometry, CanvasTexture, ConeGeometry, CylinderGeometry, Group, Points, PointsMaterial, Vector3 } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Result } from "./data";
import { marksOf, type Theme } from "./palette";
import { shapeReach } from "./shapes";
import { Segments } from "./segments";

const TYPICAL = 0.1;
const LONGEST = 2.5;
const SAMPLES = 5000;
const CROWDED = 60; // contacts; of more, the dots are smaller

// An arrow from (0,0,0) to (0,1,0).
function arrow(): BufferGeometry {
  const shaft = new CylinderGeometry(0.35, 0.35, 0.78, 10).translate(0, 0.39, 0);
  const head = new ConeGeometry(1, 0.26, 14).translate(0, 0.87, 0);
  return mergeGeometries([shaft, head])!;
}

// A round dot.
function disk(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 32;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = "white";
  pen.arc(16, 16, 15, 0, 2 * Math.PI);
  pen.fill();
  return new CanvasTexture(canvas);
}

function typicalForce(result: Result): number {
  const step = Math.max(1, Math.floor(result.contacts / SAMPLES));
  const sizes: number[] = [];
  for (let k = 0; k < result.contacts; k += step) sizes.push(result.contact(k).force.length());
  const pushing = sizes.filter((force) => force > 0).sort((a, b) => a - b);
  return pushing.length > 0 ? pushing[Math.floor(0.9 * (pushing.length - 1))] : 1;
}

// Of all bodies that move and have shapes other than points, the middle one's reach.
function middleReach(result: Result): number {
  const solid = result.head.moving.map((mover) => (result.scene.bodies[mover.body].shapes ?? []).filter((shape) => shape.type !== "point"));
  const shapes = solid.filter((list) => list.length > 0);
  const reaches = shapes.map((list) => Math.max(...list.map(shapeReach))).filter((reach) => reach > 0);
  return reaches.length > 0 ? reaches.sort((a, b) => a - b)[reaches.length >> 1] : Infinity;
}

export class Contacts {
  readonly group = new Group();
  readonly points: Points;
  readonly arrows: Segments;
  private readonly most: number;
  private readonly typical: number; // length of an arrow
  private readonly scale: number; // m per N

  constructor(
    private readonly result: Result,
    size: number,
  ) {
    this.most = Math.max(1, result.mostContacts);
    this.typical = Math.min(TYPICAL * size, 4 * middleReach(result));
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * this.most), 3));
    const look = { size: this.most > CROWDED ? 4 : 6.5, map: disk(), sizeAttenuation: false, depthTest: false, transparent: true };
    this.points = new Points(geometry, new PointsMaterial(look));
    this.points.frustumCulled = false;
    this.points.renderOrder = 3;
    this.arrows = new Segments(arrow(), this.most);
    this.arrows.material.depthTest = false;
    this.arrows.material.transparent = true;
    this.arrows.mesh.renderOrder = 2;
    this.scale = this.typical / typicalForce(result);
    this.group.add(this.arrows.mesh, this.points);
  }

  setTheme(theme: Theme): void {
    (this.points.material as PointsMaterial).color.set(marksOf(theme).contact);
    this.arrows.material.color.set(marksOf(theme).force);
  }

  show(t: number): void {
    if (!this.points.visible && !this.arrows.mesh.visible) return;
    const { first, count } = this.result.contactsIn(this.result.frameAt(t));
    const position = this.points.geometry.getAttribute("position") as BufferAttribute;
    this.arrows.clear();
    for (let k = 0; k < count; k++) {
      const contact = this.result.contact(first + k);
      position.setXYZ(k, contact.point.x, contact.point.y, contact.point.z);
      this.addArrow(contact.point, contact.force, contact.bodies);
    }
    position.needsUpdate = true;
    this.points.geometry.setDrawRange(0, count);
  }

  private addArrow(point: Vector3, force: Vector3, bodies: [number, number]): void {
    const length = Math.min(force.length() * this.scale, LONGEST * this.typical);
    if (length < 0.04 * this.typical) return;
    const sign = this.isFree(bodies[0]) ? 1 : -1;
    this.arrows.add(point, force.clone().setLength(sign * length), Math.min(0.11 * this.typical, 0.22 * length));
  }

  private isFree(body: number): boolean {
    return this.result.moves(body) && this.result.scene.bodies[body].type !== "driven";
  }
}
