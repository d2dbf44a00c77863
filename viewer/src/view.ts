// view.ts - one result on the screen: its canvas, what is drawn in it, the camera, picking a body by a click or a touch.
import {
  DirectionalLight,
  HemisphereLight,
  Mesh,
  PCFSoftShadowMap,
  PlaneGeometry,
  Raycaster,
  Scene as Stage,
  Sphere,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { Bodies, CROWD } from "./bodies";
import { findBounds } from "./bounds";
import { Camera, sunSide, upAxis } from "./camera";
import { Contacts } from "./contacts";
import { newPose, type Result } from "./data";
import { Flexible, shrinkNodes } from "./flexible";
import { gridMaterial, Ground, niceSpacing } from "./ground";
import { Links } from "./links";
import { marksOf, type Theme } from "./palette";
import { Solids } from "./solids";
import { Trails } from "./trails";

const CLICK = 5; // pixels that a click may move

export type Layer = "contacts" | "forces" | "trails" | "joints";

export class View {
  readonly canvas = document.createElement("canvas");
  readonly camera: Camera;
  following = -1;
  onPick: (body: number) => void = () => {};
  private readonly renderer: WebGLRenderer;
  private readonly pixelRatio: number;
  private readonly stage = new Stage();
  private readonly sphere: Sphere;
  private readonly bodies: Bodies;
  private readonly flexible: Flexible;
  private readonly solids: Solids;
  private readonly ground: Ground;
  private readonly links: Links;
  private readonly contacts: Contacts;
  private readonly trails: Trails;
  private readonly backdrop?: Mesh;
  private time = 0;
  private begun = false;
  private readonly followed = new Vector3();

  constructor(readonly result: Result) {
    const { dimension } = result.head;
    const crowded = result.head.moving.length > CROWD;
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: !crowded });
    this.pixelRatio = crowded ? 1 : Math.min(2, devicePixelRatio);
    this.renderer.setPixelRatio(this.pixelRatio);
    const bounds = findBounds(result);
    this.sphere = bounds.box.getBoundingSphere(new Sphere());
    const size = 2 * this.sphere.radius;
    const up = upAxis(dimension, result.scene.gravity);
    this.camera = new Camera(this.canvas, dimension, bounds, up);
    shrinkNodes(result.scene, size);
    this.flexible = new Flexible(result, size);
    this.solids = new Solids(result, size);
    this.solids.shrinkNodes(result.scene);
    this.bodies = new Bodies(result, size, up);
    this.ground = new Ground(result, size, this.sphere.center, up, !crowded);
    this.links = new Links(result, size);
    this.contacts = new Contacts(result, size);
    this.trails = new Trails(result);
    this.trails.group.visible = false;
    if (dimension === 2) this.backdrop = this.makeBackdrop(size);
    else this.light(up);
    this.stage.add(this.bodies.group, this.flexible.group, this.solids.group, this.ground.group);
    this.stage.add(this.links.group, this.contacts.group, this.trails.group);
    this.listen();
  }

  // What the colours of solids mean; undefined: there are none.
  get legend(): HTMLElement | undefined {
    return this.solids.legend;
  }

  setTheme(theme: Theme): void {
    this.renderer.setClearColor(marksOf(theme).background);
    for (const part of [this.bodies, this.flexible, this.solids, this.ground, this.links, this.contacts, this.trails]) part.setTheme(theme);
    if (this.backdrop) {
      const { uniforms } = this.backdrop.material as ReturnType<typeof gridMaterial>;
      uniforms.line.value.set(marksOf(theme).grid);
      uniforms.fill.value.set(marksOf(theme).background);
    }
  }

  setLayer(layer: Layer, visible: boolean): void {
    if (layer === "contacts") this.contacts.points.visible = visible;
    if (layer === "forces") this.contacts.arrows.mesh.visible = visible;
    if (layer === "trails") this.trails.group.visible = visible;
    if (layer === "joints") this.links.group.visible = visible;
  }

  choose(body: number): void {
    this.bodies.choose(body);
    this.trails.choose(body);
    this.follow(this.following < 0 ? -1 : body);
  }

  follow(body: number): void {
    this.following = body;
    if (body >= 0) this.followed.copy(this.result.poseAt(this.time, body, newPose()).position);
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, true);
    this.camera.resize(width / height);
    if (!this.begun) this.camera.reset();
  }

  // A share of the pixels in each direction; whether that is a change.
  setPixels(share: number): boolean {
    const ratio = this.pixelRatio * share;
    if (ratio === this.renderer.getPixelRatio()) return false;
    this.renderer.setPixelRatio(ratio);
    return true;
  }

  show(time: number): void {
    this.time = time;
    this.bodies.show(time, !this.begun);
    this.flexible.show(time);
    this.solids.show(time);
    this.ground.show(time);
    this.links.show(time);
    this.contacts.show(time);
    this.trails.show(time);
    this.begun = true;
    if (this.following >= 0) {
      const now = this.result.poseAt(time, this.following, newPose()).position;
      this.camera.shift(now.clone().sub(this.followed));
      this.followed.copy(now);
    }
  }

  draw(): void {
    this.renderer.render(this.stage, this.camera.eye);
  }

  private makeBackdrop(size: number): Mesh {
    const material = gridMaterial(niceSpacing(size), 20 * size, 0);
    material.uniforms.lineOpacity.value = 0.3;
    const mesh = new Mesh(new PlaneGeometry(40 * size, 40 * size), material);
    mesh.position.z = -0.05 * size;
    mesh.renderOrder = -1;
    this.stage.add(mesh);
    return mesh;
  }

  private light(up: Vector3): void {
    const { center, radius } = this.sphere;
    const sky = new HemisphereLight(0xffffff, 0xa4a9b2, 2.1);
    sky.position.copy(up);
    const sun = new DirectionalLight(0xffffff, 2.1);
    sun.position.copy(center).addScaledVector(up.clone().add(sunSide(up)), 2.4 * radius);
    sun.target.position.copy(center);
    if (this.result.head.moving.length <= CROWD) {
      this.renderer.shadowMap.enabled = true;
      this.renderer.shadowMap.type = PCFSoftShadowMap;
      sun.castShadow = true;
      sun.shadow.mapSize.set(2048, 2048);
      sun.shadow.normalBias = 0.004 * radius;
      Object.assign(sun.shadow.camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0.1 * radius, far: 6 * radius });
    }
    this.stage.add(sky, sun, sun.target);
  }

  // A click that does not drag picks a body.
  private listen(): void {
    const start = new Vector2();
    this.canvas.addEventListener("pointerdown", (event) => start.set(event.clientX, event.clientY));
    this.canvas.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) <= CLICK) this.onPick(this.pick(event));
    });
  }

  private pick(event: PointerEvent): number {
    const frame = this.canvas.getBoundingClientRect();
    const at = new Vector2(
      (2 * (event.clientX - frame.left)) / frame.width - 1,
      1 - (2 * (event.clientY - frame.top)) / frame.height,
    );
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera.eye);
    return this.bodies.pick(ray);
  }
}
