// solids.ts - flexible solids: their surface, coloured by von Mises' stress, with the edges of their elements and a legend.
//
// In 2D every triangle is drawn, in 3D the faces that belong to one tetrahedron only. The page has the stress at the nodes;
// within a face it is interpolated. Full colour is the largest stress of the result.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Material,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Vector3,
} from "three";
import type { Result } from "./data";
import { element, short } from "./dom";
import { Ends, type End } from "./ends";
import { marksOf, stressColour, stressGradient, type Theme } from "./palette";
import type { Scene } from "./scene";

const DOT = 0.02; // radius of a node over the shortest edge of its solids

const FACES = [
  [0, 1, 2],
  [0, 1, 3],
  [0, 2, 3],
  [1, 2, 3],
];

const keyOf = (nodes: number[]): string => [...nodes].sort((a, b) => a - b).join(" ");

// Faces that occur once, by three nodes each: the surface.
function surfaceOf(elements: number[][]): number[][] {
  const seen = new Map<string, number[] | null>();
  for (const nodes of elements) {
    for (const face of FACES.map((corners) => corners.map((k) => nodes[k]))) {
      const key = keyOf(face);
      seen.set(key, seen.has(key) ? null : face);
    }
  }
  return [...seen.values()].filter((face) => face !== null);
}

function edgesOf(faces: number[][]): number[][] {
  const edges = new Map<string, number[]>();
  for (const [a, b, c] of faces) for (const edge of [[a, b], [b, c], [c, a]]) edges.set(keyOf(edge), edge);
  return [...edges.values()];
}

export class Solids {
  readonly group = new Group();
  readonly legend?: HTMLElement;
  private readonly ends: Ends;
  private readonly nodes: End[];
  private readonly geometry = new BufferGeometry();
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly largest: number;
  private readonly faces: number[][];
  private readonly edges: number[][];
  private readonly stress: Float32Array;

  constructor(
    private readonly result: Result,
    size: number,
  ) {
    const flat = result.head.dimension === 2;
    this.ends = new Ends(result);
    this.nodes = result.solidNodes;
    this.stress = result.solidStress;
    this.faces = flat ? result.solidElements : surfaceOf(result.solidElements);
    this.edges = edgesOf(this.faces);
    this.largest = this.stress.reduce((most, value) => (value > most ? value : most), 0) || 1;
    const mesh = this.build();
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.2 }));
    this.lines.geometry.setAttribute("position", this.geometry.getAttribute("position"));
    this.lines.geometry.setIndex(this.edges.flat());
    this.lines.frustumCulled = false;
    this.lines.position.z = flat ? 0.0005 * size : 0;
    this.group.add(mesh, this.lines);
    this.group.position.z = flat ? -0.002 * size : 0; // behind the nodes
    if (this.nodes.length > 0) this.legend = this.makeLegend();
  }

  // Nodes are points; they are drawn small enough not to hide their elements.
  shrinkNodes(scene: Scene): void {
    const at = this.nodes.map((node) => this.ends.place(this.result.begin, node, new Vector3()));
    const radius = DOT * Math.min(...this.edges.map(([a, b]) => at[a].distanceTo(at[b])));
    for (const { body } of this.nodes) {
      if (body >= 0) scene.bodies[body].shapes?.filter((shape) => shape.type === "point").forEach((shape) => (shape.radius ??= radius));
    }
  }

  setTheme(theme: Theme): void {
    this.lines.material.color.set(marksOf(theme).outline);
  }

  show(t: number): void {
    if (this.nodes.length === 0) return;
    const place = this.geometry.getAttribute("position") as BufferAttribute;
    const paint = this.geometry.getAttribute("color") as BufferAttribute;
    const at = new Vector3();
    const colour = new Color();
    this.nodes.forEach((node, k) => {
      this.ends.place(t, node, at);
      place.setXYZ(k, at.x, at.y, at.z);
      stressColour(this.stressAt(t, k) / this.largest, colour);
      paint.setXYZ(k, colour.r, colour.g, colour.b);
    });
    place.needsUpdate = paint.needsUpdate = true;
  }

  // Stress at a node, linear between frames.
  stressAt(t: number, node: number): number {
    const { frame, share } = this.result.between(t);
    const n = this.nodes.length;
    const now = this.stress[frame * n + node];
    return share > 0 ? now + share * (this.stress[(frame + 1) * n + node] - now) : now;
  }

  private build(): Mesh {
    const n = this.nodes.length;
    this.geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * n), 3));
    this.geometry.setAttribute("color", new BufferAttribute(new Float32Array(3 * n), 3));
    this.geometry.setIndex(this.faces.flat());
    const mesh = new Mesh(this.geometry, this.material());
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = this.result.head.dimension === 3;
    return mesh;
  }

  // Lines of edges are drawn in front of the faces.
  private material(): Material {
    const look = { vertexColors: true, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    if (this.result.head.dimension === 2) return new MeshBasicMaterial(look);
    return new MeshStandardMaterial({ ...look, flatShading: true, roughness: 0.7, metalness: 0 });
  }

  private makeLegend(): HTMLElement {
    const scale = element("div", { class: "scale" });
    scale.style.background = `linear-gradient(to right, ${stressGradient().join(", ")})`;
    const ends = element("div", { class: "least-most" }, element("span", {}, "0"), element("span", {}, short(this.largest, 3)));
    return element("div", { class: "stress" }, element("div", {}, "von Mises stress, N/m\u00b2"), scale, ends);
  }
}
