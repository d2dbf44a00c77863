// camera.ts - how a result is looked at: 2D from the front without perspective, 3D from an orbit. Drag turns (2D: moves), the
// wheel or two fingers zoom, the right button moves.
import { MOUSE, OrthographicCamera, PerspectiveCamera, Sphere, TOUCH, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Bounds } from "./bounds";

const ANGLE = 36; // of view, degrees
const MARGIN = 0.86; // part of the picture that is filled at first
const ROUNDS = 6; // to put what is seen into the middle

// The axis that points up: against gravity, z if there is none.
export function upAxis(dimension: number, gravity: number[] | undefined): Vector3 {
  if (dimension === 2) return new Vector3(0, 1, 0);
  const g = new Vector3(gravity?.[0] ?? 0, gravity?.[1] ?? 0, gravity?.[2] ?? 0);
  return g.length() > 0 ? g.normalize().negate() : new Vector3(0, 0, 1);
}

// Horizontal: where the sun stands, to the left and in front.
export function sunSide(up: Vector3): Vector3 {
  return Math.abs(up.z) > 0.7 ? new Vector3(-0.33, -0.43, 0) : new Vector3(-0.33, 0, 0.43);
}

export class Camera {
  readonly eye: OrthographicCamera | PerspectiveCamera;
  readonly controls: OrbitControls;
  private aspect = 1;
  private readonly sphere: Sphere;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly dimension: number,
    private readonly bounds: Bounds,
    private readonly up: Vector3,
  ) {
    this.sphere = bounds.box.getBoundingSphere(new Sphere());
    const far = 60 * this.sphere.radius;
    this.eye = dimension === 2 ? new OrthographicCamera(-1, 1, 1, -1, 0, far) : new PerspectiveCamera(ANGLE, 1, far / 6000, far);
    this.eye.up.copy(up);
    this.controls = new OrbitControls(this.eye, canvas);
    if (dimension === 2) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
      this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    }
    this.controls.zoomToCursor = true;
    this.reset();
  }

  // Everything in sight.
  reset(): void {
    const { center, radius } = this.sphere;
    this.controls.target.copy(center);
    if (this.eye instanceof OrthographicCamera) {
      this.eye.position.copy(center).setZ(20 * radius);
      this.eye.zoom = 1;
    } else {
      this.eye.position.copy(this.controls.target).addScaledVector(this.viewpoint(), this.aim(this.controls.target));
    }
    this.resize(this.aspect);
    this.controls.update();
  }

  resize(aspect: number): void {
    this.aspect = aspect;
    if (this.eye instanceof PerspectiveCamera) {
      this.eye.aspect = aspect;
    } else {
      const size = this.bounds.box.getSize(new Vector3()).multiplyScalar(0.56); // half of it, and a margin
      const half = Math.max(size.y, size.x / aspect, 1e-9);
      Object.assign(this.eye, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    }
    this.eye.updateProjectionMatrix();
  }

  // Move along with a body.
  shift(by: Vector3): void {
    this.eye.position.add(by);
    this.controls.target.add(by);
  }

  copy(from: Camera): void {
    if (from.dimension !== this.dimension) return;
    this.eye.position.copy(from.eye.position);
    this.eye.quaternion.copy(from.eye.quaternion);
    this.eye.zoom = from.eye.zoom;
    this.controls.target.copy(from.controls.target);
    this.eye.updateProjectionMatrix();
  }

  // From the front, a little from the right and from above.
  private viewpoint(): Vector3 {
    const side = Math.abs(this.up.z) > 0.7 ? new Vector3(0.42, -1, 0) : new Vector3(0.42, 0, 1);
    side.addScaledVector(this.up, -side.dot(this.up)).normalize();
    return side.addScaledVector(this.up, 0.42).normalize();
  }

  // Move the target so that all balls are in the middle of the picture; returns the distance from which they are in sight.
  private aim(target: Vector3): number {
    const towards = this.viewpoint();
    const right = this.up.clone().cross(towards).normalize();
    const above = towards.clone().cross(right);
    const half = MARGIN * Math.tan((ANGLE * Math.PI) / 360);
    let far = 0;
    for (let round = 0; round < ROUNDS; round++) {
      far = Math.max(...this.bounds.balls.map((ball) => this.neededDistance(ball, target, [right, above, towards], half)));
      const [x, y] = [right, above].map((axis) => this.middle(target, axis, towards, far));
      target.addScaledVector(right, x * far).addScaledVector(above, y * far);
    }
    return far;
  }

  // The distance from the target at which a ball is in the picture.
  private neededDistance(ball: Sphere, target: Vector3, [right, above, towards]: Vector3[], half: number): number {
    const at = ball.center.clone().sub(target);
    const aside = Math.max((Math.abs(at.dot(right)) + ball.radius) / this.aspect, Math.abs(at.dot(above)) + ball.radius);
    return at.dot(towards) + aside / half;
  }

  // The middle of the picture's contents along an axis, as the tangent of an angle.
  private middle(target: Vector3, axis: Vector3, towards: Vector3, far: number): number {
    let [low, high] = [Infinity, -Infinity];
    for (const { center, radius } of this.bounds.balls) {
      const at = center.clone().sub(target);
      const depth = Math.max(far - at.dot(towards), 1e-3 * far);
      low = Math.min(low, (at.dot(axis) - radius) / depth);
      high = Math.max(high, (at.dot(axis) + radius) / depth);
    }
    return (low + high) / 2;
  }
}
