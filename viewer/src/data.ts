// data.ts - the results in the page: JSON and arrays in base64, as cli/view*.c write them (docs/view.md).
//
// A frame is a state of the result that the page holds. Between frames positions are interpolated linearly and orientations
// along the shorter arc.
import { Quaternion, Vector3 } from "three";
import type { Scene } from "./scene";

interface Mover {
  body: number; // in the scene
  turns: boolean; // its poses hold an orientation
  velocity: number; // where its velocity starts in a row; -1: not known
}

interface Head {
  file: string;
  scheme: string;
  solver: string;
  dimension: 2 | 3;
  states: number;
  frames: number;
  compact: boolean;
  low: number[];
  high: number[];
  moving: Mover[];
  kinds: string[];
  scene: Scene;
}

type Numbers = Float32Array | Float64Array | Uint16Array | Uint32Array | Int32Array | Uint8Array;

const TYPES = {
  f32: Float32Array,
  f64: Float64Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  u8: Uint8Array,
} as const;

export interface Pose {
  position: Vector3;
  orientation: Quaternion;
  angle: number; // 2D
}

export interface Event {
  time: number;
  kind: string;
}

export interface Contact {
  point: Vector3;
  force: Vector3; // on the first body
  bodies: [number, number]; // -1: the world
}

// New browsers decode by themselves, several times as fast.
const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;

function decode(text: string): ArrayBuffer {
  if (native) return native.call(Uint8Array, text).buffer;
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  return bytes.buffer;
}

const ROUND_OFF = 1e-9; // of times, relative

const Z = new Vector3(0, 0, 1);

export function newPose(): Pose {
  return { position: new Vector3(), orientation: new Quaternion(), angle: 0 };
}

export class Result {
  readonly time: Float64Array;
  readonly events: Event[];
  private readonly pose: Numbers;
  private readonly velocities?: Float32Array;
  private readonly contactOffset: Uint32Array;
  private readonly contactVectors: Float32Array;
  private readonly contactBodies: Int32Array;
  private readonly moverOf = new Map<number, number>(); // body -> place in head.moving
  private readonly start: number[] = []; // where a mover's pose starts in a row
  private readonly row: number; // numbers of a row
  private readonly other = newPose();
  private asked = { time: NaN, frame: 0 }; // of frameAt: all bodies of a picture ask for one time

  constructor(
    readonly head: Head,
    private readonly arrays: Map<string, Numbers>,
  ) {
    this.time = arrays.get("time") as Float64Array;
    this.pose = arrays.get("pose")!;
    this.velocities = arrays.get("velocity") as Float32Array | undefined;
    this.contactOffset = arrays.get("contact_offset") as Uint32Array;
    this.contactVectors = arrays.get("contact_vectors") as Float32Array;
    this.contactBodies = arrays.get("contact_bodies") as Int32Array;
    const kinds = arrays.get("event_kind") as Uint8Array;
    this.events = Array.from(arrays.get("event_time") as Float64Array, (time, k) => ({ time, kind: head.kinds[kinds[k]] }));
    let row = 0;
    head.moving.forEach((mover, k) => {
      this.moverOf.set(mover.body, k);
      this.start.push(row);
      row += head.dimension + (mover.turns ? (head.dimension === 2 ? 1 : 4) : 0);
    });
    this.row = row;
  }

  get scene(): Scene {
    return this.head.scene;
  }

  get frames(): number {
    return this.time.length;
  }

  get begin(): number {
    return this.time[0];
  }

  get end(): number {
    return this.time[this.time.length - 1];
  }

  series(name: string): Float64Array {
    return this.arrays.get(name) as Float64Array;
  }

  moves(body: number): boolean {
    return this.moverOf.has(body);
  }

  turns(body: number): boolean {
    const mover = this.moverOf.get(body);
    return mover === undefined || this.head.moving[mover].turns;
  }

  // The last frame whose time is not after t, but for the round-off of adding up steps.
  frameAt(t: number): number {
    if (t !== this.asked.time) this.asked = { time: t, frame: this.findFrame(t) };
    return this.asked.frame;
  }

  private findFrame(t: number): number {
    const until = t + ROUND_OFF * (this.end - this.begin);
    let low = 0;
    let high = this.frames; // frames before low are not after t, those from high on are
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= until) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  // The pose of a body in a frame.
  poseIn(frame: number, body: number, out: Pose): Pose {
    const mover = this.moverOf.get(body);
    if (mover === undefined) return this.fixedPose(body, out);
    const { dimension, compact } = this.head;
    const at = frame * this.row + this.start[mover];
    const read = compact ? (k: number) => this.coordinate(at, k) : (k: number) => this.pose[at + k];
    out.position.set(read(0), read(1), dimension === 3 ? read(2) : 0);
    out.angle = 0;
    out.orientation.identity();
    if (this.head.moving[mover].turns) this.readTurn(at + dimension, out);
    return out;
  }

  // The last frame that is not after t, and how much of the way to the next one has gone; 0 behind the last frame.
  between(t: number): { frame: number; share: number } {
    const frame = this.frameAt(t);
    const share = frame + 1 < this.frames ? (t - this.time[frame]) / (this.time[frame + 1] - this.time[frame]) : 0;
    return { frame, share: share > 0 ? share : 0 };
  }

  // The pose of a body at a time.
  poseAt(t: number, body: number, out: Pose): Pose {
    const { frame, share } = this.between(t);
    this.poseIn(frame, body, out);
    if (!(share > 0) || !this.moves(body)) return out;
    const next = this.poseIn(frame + 1, body, this.other);
    out.position.lerp(next.position, share);
    out.orientation.slerp(next.orientation, share);
    out.angle += share * this.change(next.angle - out.angle);
    return out;
  }

  // Nodes of solids, as points of bodies or of the world; none: there are no solids.
  get solidNodes(): { body: number; local: Vector3 }[] {
    const point = this.arrays.get("solid_point") ?? [];
    return Array.from(this.arrays.get("solid_body") ?? [], (body, k) => ({
      body,
      local: new Vector3(point[3 * k], point[3 * k + 1], point[3 * k + 2]),
    }));
  }

  // The nodes of each element of solids: three in 2D, four in 3D.
  get solidElements(): number[][] {
    const nodes = Array.from(this.arrays.get("solid_element") ?? []);
    const n = this.head.dimension + 1;
    return Array.from({ length: nodes.length / n }, (_, e) => nodes.slice(n * e, n * e + n));
  }

  // von Mises' stress, for each frame and node.
  get solidStress(): Float32Array {
    return (this.arrays.get("solid_stress") as Float32Array | undefined) ?? new Float32Array();
  }

  // World velocity and turning rate (2D: the last number; 3D: body frame) in a frame; undefined: the page has none.
  velocityIn(frame: number, body: number): { linear: number[]; angular: number[] } | undefined {
    const mover = this.moverOf.get(body);
    const at = mover === undefined ? -1 : this.head.moving[mover].velocity;
    if (!this.velocities || mover === undefined || at < 0) return undefined;
    const width = this.velocities.length / this.frames;
    const from = frame * width + at;
    const d = this.head.dimension;
    const angular = this.head.scene.bodies[body].type === "particle" ? 0 : d === 2 ? 1 : 3;
    return {
      linear: Array.from(this.velocities.subarray(from, from + d)),
      angular: Array.from(this.velocities.subarray(from + d, from + d + angular)),
    };
  }

  contactsIn(frame: number): { first: number; count: number } {
    const first = this.contactOffset[frame];
    return { first, count: this.contactOffset[frame + 1] - first };
  }

  // The largest number of contacts in a frame.
  get mostContacts(): number {
    return this.contactOffset.reduce((most, end, k) => Math.max(most, k > 0 ? end - this.contactOffset[k - 1] : 0), 0);
  }

  get contacts(): number {
    return this.contactVectors.length / 6;
  }

  contact(k: number): Contact {
    const v = this.contactVectors;
    return {
      point: new Vector3(v[6 * k], v[6 * k + 1], v[6 * k + 2]),
      force: new Vector3(v[6 * k + 3], v[6 * k + 4], v[6 * k + 5]),
      bodies: [this.contactBodies[2 * k], this.contactBodies[2 * k + 1]],
    };
  }

  // An angle of a compact result is known up to whole turns.
  private change(angle: number): number {
    const turn = 2 * Math.PI;
    return this.head.compact ? angle - turn * Math.round(angle / turn) : angle;
  }

  private coordinate(at: number, k: number): number {
    const { low, high } = this.head;
    return low[k] + ((high[k] - low[k]) * this.pose[at + k]) / 65535;
  }

  private readTurn(at: number, out: Pose): void {
    const { compact, dimension } = this.head;
    if (dimension === 2) {
      out.angle = compact ? (2 * Math.PI * this.pose[at]) / 65536 : this.pose[at];
      out.orientation.setFromAxisAngle(Z, out.angle);
      return;
    }
    const part = (k: number) => (compact ? this.pose[at + k] / 32767 - 1 : this.pose[at + k]);
    out.orientation.set(part(1), part(2), part(3), part(0)).normalize();
  }

  private fixedPose(body: number, out: Pose): Pose {
    const b = this.scene.bodies[body];
    const x = (b?.position ?? []).map(Number);
    out.position.set(x[0] ?? 0, x[1] ?? 0, x[2] ?? 0);
    out.angle = this.head.dimension === 2 ? Number(b?.angle ?? 0) : 0;
    out.orientation.setFromAxisAngle(Z, out.angle);
    const q = b?.orientation;
    if (this.head.dimension === 3 && q) out.orientation.set(q[1], q[2], q[3], q[0]);
    return out;
  }
}

function readArrays(result: number): Map<string, Numbers> {
  const arrays = new Map<string, Numbers>();
  for (const element of document.querySelectorAll<HTMLElement>(`script[data-result="${result}"]`)) {
    const { name, type } = element.dataset;
    arrays.set(name!, new TYPES[type as keyof typeof TYPES](decode(element.textContent!)));
    element.remove(); // its text is not needed any more
  }
  return arrays;
}

export function readResults(): Result[] {
  return Array.from(document.querySelectorAll("script.result"), (element, k) => {
    return new Result(JSON.parse(element.textContent!) as Head, readArrays(k));
  });
}
