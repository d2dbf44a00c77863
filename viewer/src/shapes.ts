// shapes.ts - the shapes of a scene as triangles, in the shape's own frame. docs/shapes.md says how these frames lie.
//
// In 2D a shape is a face and an outline, a band of constant width along its border. In 3D it is a closed surface. Vertex
// colours make turning visible: balls have a darker half.
import {
  Box3,
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Matrix4,
  Quaternion,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import type { Shape } from "./scene";

export interface Drawn {
  face: BufferGeometry;
  outline?: BufferGeometry; // 2D
}

export interface Detail {
  dot: number; // radius of a point, m
  band: number; // width of an outline, m
  fine: boolean; // few bodies: round shapes may have many triangles
  marked: boolean; // balls show how they are turned
}

// Half spaces and height fields are ground: they are drawn by ground.ts.
export const isGround = (shape: Shape): boolean => shape.type === "half_space" || shape.type === "height_field";

// Shapes with equal keys have equal geometry and are drawn together.
export function shapeKey(shape: Shape): string {
  const { type, radius, length, size, points } = shape;
  return JSON.stringify([type, radius, length, size, points]);
}

export function shapeTurn(shape: Pick<Shape, "angle" | "orientation">, dimension: number): Quaternion {
  const q = shape.orientation;
  if (dimension === 3) return q ? new Quaternion(q[1], q[2], q[3], q[0]) : new Quaternion();
  return new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), shape.angle ?? 0);
}

// The shape's place in its body, for a geometry that has to be stretched by `scale`.
export function shapeMatrix(shape: Shape, dimension: number, scale = 1): Matrix4 {
  const [x, y, z] = shape.position ?? [];
  return new Matrix4().compose(new Vector3(x ?? 0, y ?? 0, z ?? 0), shapeTurn(shape, dimension), new Vector3(scale, scale, scale));
}

// The box around the shape in its own frame; capsules and cylinders lie along the last axis.
export function shapeBox(shape: Shape, dimension: number): Box3 {
  const corners = shape.points ?? [(shape.size ?? []).map((side) => side / 2), (shape.size ?? []).map((side) => -side / 2)];
  const box = new Box3().setFromPoints(corners.map(([x, y, z]) => new Vector3(x ?? 0, y ?? 0, z ?? 0)));
  const radius = shape.radius ?? 0;
  const half = (shape.length ?? 0) / 2 + (shape.type === "cylinder" ? 0 : radius);
  return box.expandByVector(dimension === 2 ? new Vector3(radius, half, 0) : new Vector3(radius, radius, half));
}

// How far the shape reaches from the body's origin.
export function shapeReach(shape: Shape): number {
  const away = Math.hypot(...(shape.position ?? [0]));
  const corners = (shape.points ?? []).map((p) => Math.hypot(...p));
  const size = shape.size ? Math.hypot(...shape.size) / 2 : 0;
  const round = shape.type === "cylinder" ? Math.hypot(shape.radius ?? 0, (shape.length ?? 0) / 2) : (shape.radius ?? 0) + (shape.length ?? 0) / 2;
  return away + Math.max(size, round, ...corners, 0);
}

// ---- 2D ------------------------------------------------------------------------------------------------

function arc(out: Vector2[], x: number, y: number, radius: number, from: number, to: number, steps: number): void {
  for (let k = 0; k <= steps; k++) {
    const a = from + ((to - from) * k) / steps;
    out.push(new Vector2(x + radius * Math.cos(a), y + radius * Math.sin(a)));
  }
}

// Corners of the border, counter-clockwise; all shapes are convex.
function border(shape: Shape, detail: Detail): Vector2[] {
  const steps = detail.fine ? 48 : 16;
  const out: Vector2[] = [];
  const r = shape.radius ?? detail.dot;
  const half = (shape.length ?? 0) / 2;
  switch (shape.type) {
    case "box": {
      const [w, h] = shape.size!;
      return [new Vector2(-w / 2, -h / 2), new Vector2(w / 2, -h / 2), new Vector2(w / 2, h / 2), new Vector2(-w / 2, h / 2)];
    }
    case "polygon": {
      const points = shape.points!.map(([x, y]) => new Vector2(x, y));
      const area = points.reduce((sum, p, k) => sum + p.cross(points[(k + 1) % points.length]), 0);
      return area < 0 ? points.reverse() : points;
    }
    case "capsule":
      arc(out, 0, half, r, 0, Math.PI, steps / 2);
      arc(out, 0, -half, r, Math.PI, 2 * Math.PI, steps / 2);
      return out;
    default:
      arc(out, 0, 0, r, 0, 2 * Math.PI, steps);
      out.pop(); // the last point is the first one
      return out;
  }
}

function triangles(position: number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(position, 3));
  return geometry;
}

function fan(corners: Vector2[]): BufferGeometry {
  const position: number[] = [];
  for (let k = 1; k + 1 < corners.length; k++) {
    for (const p of [corners[0], corners[k], corners[k + 1]]) position.push(p.x, p.y, 0);
  }
  return triangles(position);
}

const quad = (out: number[], a: Vector2, b: Vector2, c: Vector2, d: Vector2): void => {
  for (const p of [a, b, c, a, c, d]) out.push(p.x, p.y, 0);
};

// The corner moved inwards so that both its edges move by `width`.
function inset(before: Vector2, at: Vector2, after: Vector2, width: number): Vector2 {
  const e = at.clone().sub(before).normalize();
  const f = after.clone().sub(at).normalize();
  const inward = new Vector2(-e.y - f.y, e.x + f.x);
  const scale = 1 + e.dot(f);
  return at.clone().addScaledVector(inward, width / Math.max(scale, 0.1));
}

function band(corners: Vector2[], width: number): number[] {
  const n = corners.length;
  const inner = corners.map((p, k) => inset(corners[(k + n - 1) % n], p, corners[(k + 1) % n], width));
  const out: number[] = [];
  for (let k = 0; k < n; k++) quad(out, corners[k], corners[(k + 1) % n], inner[(k + 1) % n], inner[k]);
  return out;
}

// A line from the centre of a disk to its border, to see it turn.
function spoke(out: number[], radius: number, width: number): void {
  const w = width / 2;
  quad(out, new Vector2(0, -w), new Vector2(radius, -w), new Vector2(radius, w), new Vector2(0, w));
}

function flat(shape: Shape, detail: Detail): Drawn {
  const corners = border(shape, detail);
  const reach = Math.max(...corners.map((p) => p.length()));
  const width = Math.min(detail.band, reach / 5);
  const outline = band(corners, width);
  if (shape.type === "sphere") spoke(outline, reach, width);
  return { face: fan(corners), outline: triangles(outline) };
}

// ---- 3D ------------------------------------------------------------------------------------------------

// The half where x < 0 is darker.
function markHalf(geometry: BufferGeometry): BufferGeometry {
  const position = geometry.getAttribute("position");
  const colour: number[] = [];
  for (let k = 0; k < position.count; k++) {
    const shade = position.getX(k) < -1e-9 ? 0.72 : 1;
    colour.push(shade, shade, shade);
  }
  geometry.setAttribute("color", new Float32BufferAttribute(colour, 3));
  return geometry;
}

function ball(radius: number, detail: Detail): BufferGeometry {
  const geometry = detail.fine ? new SphereGeometry(radius, 40, 24) : new SphereGeometry(radius, 8, 5);
  return detail.marked ? markHalf(geometry.toNonIndexed()) : geometry;
}

// three.js draws cylinders and capsules along y; ours lie along z.
function solid(shape: Shape, detail: Detail): BufferGeometry {
  const around = detail.fine ? 40 : 14;
  const r = shape.radius ?? detail.dot;
  switch (shape.type) {
    case "box":
      return new BoxGeometry(shape.size![0], shape.size![1], shape.size![2]);
    case "capsule":
      return new CapsuleGeometry(r, shape.length!, detail.fine ? 12 : 4, around).rotateX(Math.PI / 2);
    case "cylinder":
      return new CylinderGeometry(r, r, shape.length!, around).rotateX(Math.PI / 2);
    case "hull":
      return new ConvexGeometry(shape.points!.map(([x, y, z]) => new Vector3(x, y, z)));
    default:
      return ball(r, detail);
  }
}

export function drawShape(shape: Shape, dimension: number, detail: Detail): Drawn {
  return dimension === 2 ? flat(shape, detail) : { face: solid(shape, detail) };
}
