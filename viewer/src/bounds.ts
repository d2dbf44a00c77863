// bounds.ts - the part of space in which a result happens: what the camera shows, and the measure of all marks. It is a box,
// and balls in it that cover what is to be seen, since a box may be empty in its corners.
//
// A body that flies away must not make all others small: of all sampled positions the outermost hundredth on each side is left
// out, but never where bodies start.
import { Box3, Matrix4, Sphere, Vector3 } from "three";
import type { Result } from "./data";
import { newPose } from "./data";
import { isGround, shapeBox, shapeMatrix, shapeReach } from "./shapes";

const FRAMES = 120;
const BODIES = 1500;
const LEFT_OUT = 0.01;
const MOST = 500; // bodies that balls are made for
const BALLS = 4000; // of the motion, and at most as many corners of bodies as they start

export interface Bounds {
  box: Box3;
  balls: Sphere[];
}

function reachOf(result: Result, body: number): number {
  const shapes = (result.scene.bodies[body].shapes ?? []).filter((shape) => !isGround(shape));
  return Math.max(0, ...shapes.map(shapeReach));
}

const cornersOf = ({ min, max }: Box3): Vector3[] =>
  Array.from({ length: 8 }, (_, k) => new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z));

// Boxes around the bodies as they start, and around fixed ones.
function startBoxes(result: Result): Box3[] {
  const { dimension } = result.head;
  const boxes: Box3[] = [];
  const pose = newPose();
  const one = new Vector3(1, 1, 1);
  result.scene.bodies.forEach((body, b) => {
    const shapes = body.shapes ?? [];
    const solid = shapes.filter((shape) => !isGround(shape));
    const { position, orientation } = result.poseIn(0, b, pose);
    const place = new Matrix4().compose(position, orientation, one);
    if (shapes.length === 0) boxes.push(new Box3(position.clone(), position.clone()));
    for (const shape of solid) boxes.push(shapeBox(shape, dimension).applyMatrix4(place.clone().multiply(shapeMatrix(shape, dimension))));
  });
  boxes.push(...result.solidNodes.filter(({ body, local }) => body < 0 || local.lengthSq() > 0).map(({ body, local }) => pointBox(result, body, local)));
  return boxes;
}

// A held node of a solid, which is no body of its own.
function pointBox(result: Result, body: number, local: Vector3): Box3 {
  const { position, orientation } = result.poseIn(0, body, newPose());
  const at = body < 0 ? local : local.clone().applyQuaternion(orientation).add(position);
  return new Box3(at.clone(), at.clone());
}

// Where joints and springs are fixed to the world.
function addAnchors(result: Result, box: Box3): void {
  for (const link of [...(result.scene.joints ?? []), ...(result.scene.forces ?? [])]) {
    link.bodies?.forEach((name, k) => {
      const anchor = link.anchors?.[k];
      if (name === "world" && anchor) box.expandByPoint(new Vector3(anchor[0], anchor[1], anchor[2] ?? 0));
    });
  }
}

function addMotion(result: Result, box: Box3): void {
  const movers = result.head.moving.map((mover) => mover.body);
  const skip = Math.max(1, Math.ceil(movers.length / BODIES));
  const step = Math.max(1, Math.ceil(result.frames / FRAMES));
  const low: number[][] = [[], [], []];
  const high: number[][] = [[], [], []];
  const pose = newPose();
  for (let m = 0; m < movers.length; m += skip) {
    const reach = reachOf(result, movers[m]);
    for (let f = 0; f < result.frames; f += step) {
      const x = result.poseIn(f, movers[m], pose).position.toArray();
      x.forEach((value, i) => {
        if (Number.isFinite(value)) low[i].push(value - reach), high[i].push(value + reach);
      });
    }
  }
  const quantile = (list: number[], part: number) => list.sort((a, b) => a - b)[Math.round(part * (list.length - 1))];
  if (low[0].length === 0) return;
  box.expandByPoint(new Vector3(...low.map((list) => quantile(list, LEFT_OUT))));
  box.expandByPoint(new Vector3(...high.map((list) => quantile(list, 1 - LEFT_OUT))));
}

// Balls around moving bodies at some times, if their centres are in the box.
function ballsOfMotion(result: Result, box: Box3): Sphere[] {
  const movers = result.head.moving.map((mover) => mover.body);
  const skip = Math.max(1, Math.ceil(movers.length / MOST));
  const step = Math.max(1, Math.ceil((movers.length * result.frames) / skip / BALLS));
  const balls: Sphere[] = [];
  const pose = newPose();
  for (let m = 0; m < movers.length; m += skip) {
    const reach = reachOf(result, movers[m]);
    for (let f = 0; f < result.frames; f += step) {
      const { position } = result.poseIn(f, movers[m], pose);
      if (box.containsPoint(position)) balls.push(new Sphere(position.clone(), reach));
    }
  }
  return balls;
}

export function findBounds(result: Result): Bounds {
  const starts = startBoxes(result);
  const box = starts.reduce((all, one) => all.union(one), new Box3());
  addAnchors(result, box);
  addMotion(result, box);
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  if (result.head.dimension === 2) box.min.z = box.max.z = 0;
  if (!(box.getBoundingSphere(new Sphere()).radius > 0)) box.expandByScalar(1);
  const stride = Math.max(1, Math.ceil((8 * starts.length) / BALLS));
  const corners = starts.filter((_, k) => k % stride === 0).flatMap(cornersOf).map((corner) => new Sphere(corner, 0));
  const balls = [...corners, ...ballsOfMotion(result, box)];
  return { box, balls: balls.length > 0 ? balls : [box.getBoundingSphere(new Sphere())] };
}
