// ends.ts - points that are fixed in a body or in the world: the ends of joints, springs and elements.
import { Quaternion, Vector3 } from "three";
import type { Result } from "./data";
import { newPose } from "./data";

export interface End {
  body: number; // -1: the world
  local: Vector3;
}

export const vector = (x: number[] | undefined): Vector3 => new Vector3(x?.[0] ?? 0, x?.[1] ?? 0, x?.[2] ?? 0);

export class Ends {
  private readonly numberOf = new Map<string, number>();
  private readonly pose = newPose();

  constructor(private readonly result: Result) {
    result.scene.bodies.forEach((body, b) => this.numberOf.set(body.name, b));
  }

  // A point in the frame of a body.
  of(name: string, anchor?: number[]): End {
    return { body: this.numberOf.get(name) ?? -1, local: vector(anchor) };
  }

  // A point of the world at the start, in the frame of a body.
  at(name: string, point: Vector3): End {
    const end = this.of(name);
    if (end.body < 0) return { body: -1, local: point.clone() };
    const { position, orientation } = this.result.poseIn(0, end.body, this.pose);
    end.local.copy(point).sub(position).applyQuaternion(orientation.clone().invert());
    return end;
  }

  place(t: number, end: End, out: Vector3): Vector3 {
    if (end.body < 0) return out.copy(end.local);
    const { position, orientation } = this.result.poseAt(t, end.body, this.pose);
    return out.copy(end.local).applyQuaternion(orientation).add(position);
  }

  // By how much the body of an end has turned since the start.
  turn(t: number, end: End, out: Quaternion): Quaternion {
    if (end.body < 0) return out.identity();
    out.copy(this.result.poseIn(0, end.body, this.pose).orientation).invert();
    return out.premultiply(this.result.poseAt(t, end.body, this.pose).orientation);
  }
}
