// flexible.ts - bars and beams: every element is a box from node to node, as high (in 3D also as wide) as the scene says. A node
// that is held is a point of its holder.
//
// The colour of an element is the strain of its outer fibre that is strained most, d/L - 1 away from 0 by (h/2) a/L: d is the
// distance of its nodes, L that at the start, h its height, a the angle between its nodes. Blue is shorter, orange is longer; the
// largest strain of the result has the full colour.
import { BoxGeometry, Color, Group, InstancedMesh, Material, Matrix4, MeshBasicMaterial, MeshStandardMaterial, Quaternion, Vector3 } from "three";
import type { Result } from "./data";
import { Ends, vector, type End } from "./ends";
import { strainColour, type Theme } from "./palette";
import type { Elements, Joint, Scene } from "./scene";
import { shapeTurn } from "./shapes";

const SAMPLES = 60; // frames in which the largest strain is looked for
const THINNEST = 0.006; // of the size of the scene: thinner elements are drawn so thick

interface Piece {
  ends: [End, End];
  up: Vector3; // along the height, at the start
  length: number; // at the start
  height: number;
  width: number;
}

// Elements that lie in a row, from node NAME.i to node NAME.i+1.
const rowsOf = (scene: Scene): Elements[] => (scene.elements ?? []).filter((row) => typeof row.divisions === "number");

// Is it between nodes of such a row? The page has these beside the elements.
export function isElement(scene: Scene, { name, bodies }: Joint): boolean {
  return name === undefined && rowsOf(scene).some((row) => bodies.some((body) => body.startsWith(`${row.name}.`)));
}

// Nodes are points; they are drawn small enough not to hide their elements.
export function shrinkNodes(scene: Scene, size: number): void {
  for (const { name, divisions, size: sides } of rowsOf(scene)) {
    const radius = Math.min(0.012 * size, 0.3 * sides[1], (0.2 * sides[0]) / divisions);
    for (const body of scene.bodies) {
      if (body.name.startsWith(`${name}.`)) body.shapes?.forEach((shape) => (shape.radius ??= radius));
    }
  }
}

export class Flexible {
  readonly group = new Group();
  private readonly ends: Ends;
  private readonly pieces: Piece[];
  private readonly mesh: InstancedMesh;
  private readonly largest: number;
  private theme: Theme = "light";
  private readonly points = [new Vector3(), new Vector3()];
  private readonly turns = [new Quaternion(), new Quaternion()];

  constructor(
    private readonly result: Result,
    private readonly size: number,
  ) {
    this.ends = new Ends(result);
    this.pieces = rowsOf(result.scene).flatMap((row) => this.piecesOf(row));
    this.mesh = new InstancedMesh(new BoxGeometry(1, 1, 1), this.material(), Math.max(1, this.pieces.length));
    this.mesh.count = this.pieces.length;
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = result.head.dimension === 3;
    this.largest = this.findLargest();
    this.group.add(this.mesh);
    this.group.position.z = result.head.dimension === 2 ? -0.002 * size : 0; // behind the nodes
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
  }

  show(t: number): void {
    const at = new Matrix4();
    const colour = new Color();
    this.pieces.forEach((piece, k) => {
      this.measure(t, piece);
      this.mesh.setMatrixAt(k, this.place(piece, at));
      this.mesh.setColorAt(k, strainColour(this.theme, this.strain(piece) / this.largest, colour));
    });
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  private material(): Material {
    return this.result.head.dimension === 2 ? new MeshBasicMaterial() : new MeshStandardMaterial({ roughness: 0.62, metalness: 0.04 });
  }

  private piecesOf(row: Elements): Piece[] {
    const { name, divisions, size } = row;
    const turn = shapeTurn(row, this.result.head.dimension);
    const along = new Vector3(size[0] / divisions, 0, 0).applyQuaternion(turn);
    const nodes = Array.from({ length: divisions + 1 }, (_, i) => {
      const holder = i === 0 ? row.first : i === divisions ? row.last : undefined;
      return holder === undefined ? this.ends.of(`${name}.${i}`) : this.ends.at(holder, vector(row.position).addScaledVector(along, i));
    });
    const thick = (side: number | undefined) => Math.max(side ?? 0, THINNEST * this.size);
    const flat = this.result.head.dimension === 2;
    return Array.from({ length: divisions }, (_, i) => ({
      ends: [nodes[i], nodes[i + 1]],
      up: new Vector3(0, 1, 0).applyQuaternion(turn),
      length: along.length(),
      height: thick(size[1]),
      width: flat ? 1e-4 * this.size : thick(size[2]),
    }));
  }

  // Where the two nodes are, and how they are turned.
  private measure(t: number, { ends }: Piece): void {
    ends.forEach((end, k) => {
      this.ends.place(t, end, this.points[k]);
      this.ends.turn(t, end, this.turns[k]);
    });
  }

  private place({ up, height, width }: Piece, out: Matrix4): Matrix4 {
    const [a, b] = this.points;
    const x = b.clone().sub(a);
    const length = x.length();
    const y = up.clone().applyQuaternion(this.turns[0]);
    const z = x.divideScalar(length || 1).clone().cross(y).normalize();
    y.copy(z).cross(x);
    out.makeBasis(x.multiplyScalar(length), y.multiplyScalar(height), z.multiplyScalar(width));
    return out.setPosition((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2);
  }

  private strain({ length, height }: Piece): number {
    const axial = this.points[0].distanceTo(this.points[1]) / length - 1;
    const bent = ((height / 2) * this.turns[0].angleTo(this.turns[1])) / length;
    return axial < 0 ? axial - bent : axial + bent;
  }

  private findLargest(): number {
    const step = Math.max(1, Math.ceil(this.result.frames / SAMPLES));
    let largest = 0;
    for (let f = 0; f < this.result.frames; f += step) {
      for (const piece of this.pieces) {
        this.measure(this.result.time[f], piece);
        largest = Math.max(largest, Math.abs(this.strain(piece)) || 0);
      }
    }
    return largest || 1;
  }
}
