// bodies.ts - the bodies of a result: shapes of one geometry are drawn together, and placed anew for each time.
import { Color, DoubleSide, Group, Material, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Raycaster, Vector3 } from "three";
import { Balls } from "./balls";
import { newPose, type Result } from "./data";
import { Meshes, type Look } from "./meshes";
import { bodyColour, marksOf, type Theme } from "./palette";
import type { Shape } from "./scene";
import { drawShape, isGround, shapeKey, shapeMatrix, shapeReach, type Detail } from "./shapes";

const MANY = 24; // bodies; of more, those of one sort share a colour
const MUCH_SMALLER = 3; // times: shapes that are of different sorts
// Bodies; of more, balls are points, other round shapes have few triangles, nothing casts a shadow and edges are not smoothed.
export const CROWD = 400;

interface Piece {
  body: number;
  shape: Shape;
  local: Matrix4; // shape in body
  sort: number; // of one material and of about one size
}

interface Kind {
  pieces: Piece[];
  look: Look;
}

export class Bodies {
  readonly group = new Group();
  private readonly kinds: Kind[];
  private readonly sorts: string[] = [];
  private readonly moving: number;
  private readonly largest: number; // reach of all shapes of bodies that move
  private theme: Theme = "light";
  private chosen = -1;

  constructor(
    private readonly result: Result,
    private readonly size: number,
    private readonly up: Vector3,
  ) {
    this.moving = result.head.moving.length;
    const shapes = result.head.moving.flatMap((mover) => result.scene.bodies[mover.body].shapes ?? []);
    this.largest = shapes.filter((shape) => !isGround(shape)).reduce((most, shape) => Math.max(most, shapeReach(shape)), 0);
    this.kinds = [...this.piecesByGeometry().values()].map((pieces) => ({ pieces, look: this.lookOf(pieces) }));
    for (const kind of this.kinds) this.group.add(...kind.look.objects);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.paint();
  }

  choose(body: number): void {
    this.chosen = body;
    this.paint();
  }

  // Place all bodies that move, or at the start also those that never do.
  show(t: number, all: boolean): void {
    const pose = newPose();
    const at = new Matrix4();
    const one = new Vector3(1, 1, 1);
    for (const { pieces, look } of this.kinds) {
      pieces.forEach((piece, k) => {
        if (!all && !this.result.moves(piece.body)) return;
        this.result.poseAt(t, piece.body, pose);
        look.place(k, at.compose(pose.position, pose.orientation, one).multiply(piece.local));
      });
    }
  }

  // The body that a ray meets first; -1: none.
  pick(ray: Raycaster): number {
    const hits = this.kinds.map(({ pieces, look }) => ({ pieces, ...look.meet(ray) })).filter((hit) => hit.shape >= 0);
    hits.sort((a, b) => a.distance - b.distance);
    return hits.length > 0 ? hits[0].pieces[hits[0].shape].body : -1;
  }

  private get crowded(): boolean {
    return this.moving > CROWD;
  }

  // Of many bodies, balls of all sizes are one geometry of radius 1, which is stretched.
  private isStretched(shape: Shape): boolean {
    return shape.type === "sphere" && this.moving > MANY;
  }

  private piecesByGeometry(): Map<string, Piece[]> {
    const kinds = new Map<string, Piece[]>();
    this.result.scene.bodies.forEach((body, b) => {
      for (const shape of (body.shapes ?? []).filter((item) => !isGround(item))) {
        const key = `${this.isStretched(shape) ? "ball" : shapeKey(shape)} ${this.result.turns(b)}`;
        if (!kinds.has(key)) kinds.set(key, []);
        kinds.get(key)!.push({ body: b, shape, local: this.localMatrix(shape), sort: this.sortOf(shape) });
      }
    });
    return kinds;
  }

  private localMatrix(shape: Shape): Matrix4 {
    return shapeMatrix(shape, this.result.head.dimension, this.isStretched(shape) ? shape.radius! : 1);
  }

  // Shapes of one type and material are of one sort, unless one is much smaller than the largest.
  private sortOf(shape: Shape): number {
    const smaller = Math.floor(Math.log(this.largest / (shapeReach(shape) || this.largest)) / Math.log(MUCH_SMALLER));
    const name = JSON.stringify([shape.type, shape.material, smaller]);
    if (!this.sorts.includes(name)) this.sorts.push(name);
    return this.sorts.indexOf(name);
  }

  private lookOf(pieces: Piece[]): Look {
    const { dimension } = this.result.head;
    const [{ shape, body }] = pieces;
    const stretched = this.isStretched(shape);
    if (dimension === 3 && stretched && this.crowded) return new Balls(pieces.map((piece) => piece.shape.radius!), this.up);
    const middle = pieces[pieces.length >> 1].shape;
    const unit = stretched ? 1 / middle.radius! : 1; // the geometry's length of a metre
    const detail: Detail = {
      dot: 0.012 * this.size,
      band: 0.005 * this.size * unit,
      fine: !this.crowded,
      marked: this.result.turns(body),
    };
    const drawn = drawShape(stretched ? { ...shape, radius: 1 } : shape, dimension, detail);
    return new Meshes(drawn, this.material(drawn.face.hasAttribute("color")), pieces.length, 0.001 * this.size);
  }

  private material(vertexColors: boolean): Material {
    if (this.result.head.dimension === 2) return new MeshBasicMaterial({ side: DoubleSide });
    return new MeshStandardMaterial({ roughness: 0.62, metalness: 0.04, vertexColors });
  }

  private paint(): void {
    const marks = marksOf(this.theme);
    for (const { pieces, look } of this.kinds) {
      pieces.forEach((piece, k) => {
        const { type } = this.result.scene.bodies[piece.body];
        const own = bodyColour(this.theme, type, piece.body, piece.sort, this.moving > MANY);
        const chosen = piece.body === this.chosen;
        const face = chosen ? own.clone().lerp(new Color(marks.chosen), 0.55) : own;
        look.paint(k, face, chosen ? new Color(marks.chosen) : own.clone().lerp(new Color(marks.outline), 0.55));
      });
    }
  }
}
