// bodies.ts - the bodies of a result: every kind of shape is one instanced mesh, placed anew for each time.
import {
  Color,
  DoubleSide,
  Group,
  InstancedMesh,
  Intersection,
  Matrix4,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Object3D,
  Raycaster,
  Vector3,
} from "three";
import type { Result } from "./data";
import { newPose } from "./data";
import { bodyColour, marksOf, type Theme } from "./palette";
import type { Shape } from "./scene";
import { drawShape, isGround, shapeKey, shapeReach, shapeTurn, type Detail } from "./shapes";

const MANY = 24; // bodies; of more, those of one kind share a colour
const MUCH_SMALLER = 3;
const COARSE = 400; // bodies; of more, round shapes have few triangles

interface Piece {
  body: number;
  local: Matrix4; // shape in body
}

interface Kind {
  pieces: Piece[];
  sort: number; // of one material and of about one size
  face: InstancedMesh;
  outline?: InstancedMesh;
}

function localMatrix(shape: Shape, dimension: number): Matrix4 {
  const x = shape.position ?? [];
  return new Matrix4().compose(new Vector3(x[0] ?? 0, x[1] ?? 0, x[2] ?? 0), shapeTurn(shape, dimension), new Vector3(1, 1, 1));
}

export class Bodies {
  readonly group = new Group();
  private readonly kinds: Kind[] = [];
  private theme: Theme = "light";
  private chosen = -1;
  private readonly many: boolean;
  private readonly sorts: string[] = [];
  private readonly largest: number; // reach of all shapes of bodies that move

  constructor(
    private readonly result: Result,
    private readonly size: number,
  ) {
    const shapes = result.head.moving.flatMap((mover) => result.scene.bodies[mover.body].shapes ?? []).filter((shape) => !isGround(shape));
    this.largest = shapes.reduce((most, shape) => Math.max(most, shapeReach(shape)), 0);
    this.many = result.head.moving.length > MANY;
    for (const pieces of this.byGeometry().values()) this.add(pieces);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.paint();
  }

  choose(body: number): void {
    this.chosen = body;
    this.paint();
  }

  // Place all bodies, or at the start also those that never move.
  show(t: number, all: boolean): void {
    const pose = newPose();
    const at = new Matrix4();
    const one = new Vector3(1, 1, 1);
    for (const kind of this.kinds) {
      kind.pieces.forEach((piece, k) => {
        if (!all && !this.result.moves(piece.body)) return;
        this.result.poseAt(t, piece.body, pose);
        at.compose(pose.position, pose.orientation, one).multiply(piece.local);
        kind.face.setMatrixAt(k, at);
        kind.outline?.setMatrixAt(k, at);
      });
      for (const mesh of [kind.face, kind.outline]) {
        if (!mesh) continue;
        mesh.instanceMatrix.needsUpdate = true;
        mesh.boundingSphere = null; // found anew when a ray is cast
      }
    }
  }

  // The body that a ray meets first; -1: none.
  pick(ray: Raycaster): number {
    const hits: Intersection<Object3D>[] = [];
    for (const kind of this.kinds) kind.face.raycast(ray, hits as never);
    hits.sort((a, b) => a.distance - b.distance);
    const kind = this.kinds.find((k) => k.face === hits[0]?.object);
    return kind ? kind.pieces[hits[0].instanceId!].body : -1;
  }

  private byGeometry(): Map<string, { piece: Piece; shape: Shape }[]> {
    const kinds = new Map<string, { piece: Piece; shape: Shape }[]>();
    this.result.scene.bodies.forEach((body, b) => {
      for (const shape of body.shapes ?? []) {
        if (isGround(shape)) continue;
        const key = `${shapeKey(shape)}${this.result.turns(b)}`;
        if (!kinds.has(key)) kinds.set(key, []);
        kinds.get(key)!.push({ shape, piece: { body: b, local: localMatrix(shape, this.result.head.dimension) } });
      }
    });
    return kinds;
  }

  // Shapes of one type and material are of one sort, unless one is much smaller than the largest.
  private sortOf(shape: Shape): number {
    const smaller = Math.floor(Math.log(this.largest / (shapeReach(shape) || this.largest)) / Math.log(MUCH_SMALLER));
    const name = JSON.stringify([shape.type, shape.material, smaller]);
    if (!this.sorts.includes(name)) this.sorts.push(name);
    return this.sorts.indexOf(name);
  }

  private detail(body: number): Detail {
    const fine = this.result.head.moving.length <= COARSE;
    return { dot: 0.012 * this.size, band: 0.005 * this.size, fine, marked: this.result.turns(body) };
  }

  private add(list: { piece: Piece; shape: Shape }[]): void {
    const flat = this.result.head.dimension === 2;
    const drawn = drawShape(list[0].shape, this.result.head.dimension, this.detail(list[0].piece.body));
    const vertexColors = drawn.face.hasAttribute("color");
    const material = flat
      ? new MeshBasicMaterial({ side: DoubleSide })
      : new MeshStandardMaterial({ roughness: 0.62, metalness: 0.04, vertexColors });
    const face = new InstancedMesh(drawn.face, material, list.length);
    face.castShadow = face.receiveShadow = !flat;
    face.frustumCulled = false;
    const kind: Kind = { pieces: list.map((item) => item.piece), sort: this.sortOf(list[0].shape), face };
    this.group.add(face);
    if (drawn.outline) {
      kind.outline = new InstancedMesh(drawn.outline, new MeshBasicMaterial({ side: DoubleSide }), list.length);
      kind.outline.frustumCulled = false;
      kind.outline.position.z = 0.001 * this.size; // in front of the faces
      this.group.add(kind.outline);
    }
    this.kinds.push(kind);
  }

  private paint(): void {
    const marks = marksOf(this.theme);
    for (const kind of this.kinds) {
      kind.pieces.forEach((piece, k) => {
        const type = this.result.scene.bodies[piece.body].type;
        const own = bodyColour(this.theme, type, piece.body, kind.sort, this.many);
        const chosen = piece.body === this.chosen;
        kind.face.setColorAt(k, chosen ? own.clone().lerp(new Color(marks.chosen), 0.55) : own);
        kind.outline?.setColorAt(k, chosen ? new Color(marks.chosen) : own.clone().lerp(new Color(marks.outline), 0.55));
      });
      for (const mesh of [kind.face, kind.outline]) {
        if (mesh?.instanceColor) mesh.instanceColor.needsUpdate = true;
      }
    }
  }
}
