// bounds.ts - the part of space in which a result happens: what the camera shows, and the measure of all marks.
//
// A body that flies away must not make all others small: of all sampled positions the outermost hundredth on each side is left
// out, but never where bodies start.
import { Box3, Sphere, Vector3 } from "three";
import type { Result } from "./data";
import { newPose } from "./data";
import { isGround, shapeReach } from "./shapes";

const FRAMES = 120;
const BODIES = 1500;
const LEFT_OUT = 0.01;

function reachOf(result: Result, body: number): number {
  const shapes = (result.scene.bodies[body].shapes ?? []).filter((shape) => !isGround(shape));
  return Math.max(0, ...shapes.map(shapeReach));
}

function addSphere(box: Box3, centre: Vector3, radius: number): void {
  box.expandByPoint(centre.clone().addScalar(radius));
  box.expandByPoint(centre.clone().addScalar(-radius));
}

// Bodies as they start, and fixed ones.
function startBox(result: Result): Box3 {
  const box = new Box3();
  const pose = newPose();
  result.scene.bodies.forEach((body, b) => {
    const ground = (body.shapes ?? []).length > 0 && (body.shapes ?? []).every(isGround);
    if (!ground) addSphere(box, result.poseIn(0, b, pose).position, reachOf(result, b));
  });
  return box;
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

export function findBounds(result: Result): Box3 {
  const box = startBox(result);
  addAnchors(result, box);
  addMotion(result, box);
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  if (result.head.dimension === 2) box.min.z = box.max.z = 0;
  const radius = box.getBoundingSphere(new Sphere()).radius;
  return radius > 0 ? box : box.expandByScalar(1);
}
