// ground.ts - half spaces and height fields. A half space is a plane with a grid that fades away, seen from its free side only,
// so that walls do not hide what is between them; in 2D it is a filled region below a line.
import {
  BufferGeometry,
  Color,
  DoubleSide,
  Float32BufferAttribute,
  FrontSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Object3D,
  PlaneGeometry,
  Quaternion,
  ShaderMaterial,
  ShadowMaterial,
  Vector3,
} from "three";
import type { Result } from "./data";
import { newPose } from "./data";
import { marksOf, type Theme } from "./palette";
import type { Shape } from "./scene";
import { isGround, shapeTurn } from "./shapes";

const MOST_LINES = 60; // of a height field, in each direction

// 1, 2 or 5 times a power of ten, about a tenth of the size.
export function niceSpacing(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size / 10));
  const digit = size / 10 / power;
  return power * (digit < 2 ? 1 : digit < 5 ? 2 : 5);
}

const GRID_VERTEX = `
varying vec2 at;
void main() {
  at = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const GRID_FRAGMENT = `
uniform vec3 line;
uniform vec3 fill;
uniform float fillOpacity;
uniform float lineOpacity;
uniform float spacing;
uniform float reach;
varying vec2 at;
float lines(vec2 x) {
  vec2 width = fwidth(x);
  vec2 near = abs(fract(x - 0.5) - 0.5) / max(width, vec2(1e-9));
  return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(width.x, width.y)));
}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(at) / reach);
  float ink = lineOpacity * max(0.45 * lines(at / spacing), lines(at / (5.0 * spacing)));
  float opacity = ink + fillOpacity * (1.0 - ink);
  vec3 colour = (line * ink + fill * fillOpacity * (1.0 - ink)) / max(opacity, 1e-6);
  gl_FragColor = vec4(colour, fade * opacity);
  #include <colorspace_fragment>
}`;

export function gridMaterial(spacing: number, reach: number, strength: number): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: GRID_VERTEX,
    fragmentShader: GRID_FRAGMENT,
    transparent: true,
    depthWrite: false,
    side: FrontSide,
    uniforms: {
      line: { value: new Color() },
      fill: { value: new Color() },
      fillOpacity: { value: strength },
      lineOpacity: { value: 0.55 },
      spacing: { value: spacing },
      reach: { value: reach },
    },
  });
}

function surface(position: number[], index: number[]): BufferGeometry {
  const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(position, 3));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  return geometry;
}

interface Placed {
  body: number;
  object: Object3D;
}

export class Ground {
  readonly group = new Group();
  private readonly placed: Placed[] = [];
  private readonly grids: ShaderMaterial[] = [];
  private readonly faces: MeshBasicMaterial[] = [];
  private readonly reliefs: MeshStandardMaterial[] = [];
  private readonly edges: MeshBasicMaterial[] = [];
  private readonly strokes: LineBasicMaterial[] = [];

  constructor(
    private readonly result: Result,
    private readonly size: number,
    private readonly centre: Vector3,
    private readonly up: Vector3,
    private readonly shadows: boolean,
  ) {
    result.scene.bodies.forEach((body, b) => {
      for (const shape of (body.shapes ?? []).filter(isGround)) this.placed.push({ body: b, object: this.make(shape) });
    });
    for (const { object } of this.placed) this.group.add(object);
  }

  setTheme(theme: Theme): void {
    const marks = marksOf(theme);
    for (const grid of this.grids) {
      grid.uniforms.line.value.set(marks.grid);
      grid.uniforms.fill.value.set(marks.ground);
    }
    for (const face of this.faces) face.color.set(marks.ground);
    for (const relief of this.reliefs) relief.color.set(marks.relief);
    for (const edge of [...this.edges, ...this.strokes]) edge.color.set(marks.grid);
  }

  show(t: number): void {
    const pose = newPose();
    for (const { body, object } of this.placed) {
      this.result.poseAt(t, body, pose);
      object.position.copy(pose.position);
      object.quaternion.copy(pose.orientation);
    }
  }

  private make(shape: Shape): Object3D {
    const inner = shape.type === "half_space" ? this.halfSpace(shape) : this.heightField(shape);
    const inBody = new Group();
    const x = shape.position ?? [];
    inBody.position.set(x[0] ?? 0, x[1] ?? 0, x[2] ?? 0);
    inBody.quaternion.copy(shapeTurn(shape, this.result.head.dimension));
    inBody.add(inner);
    return new Group().add(inBody);
  }

  // A plane in the shape's frame; its grid is centred below the middle of the scene.
  private halfSpace(shape: Shape): Object3D {
    const n = new Vector3(shape.normal![0], shape.normal![1], shape.normal![2] ?? 0).normalize();
    const middle = this.centre.clone().addScaledVector(n, (shape.offset ?? 0) - this.centre.dot(n));
    const object = this.result.head.dimension === 2 ? this.region(n) : this.plane(n);
    const spacing = niceSpacing(this.size);
    object.position.copy(middle);
    if (this.result.head.dimension === 3 && Math.abs(n.z) > 0.999) {
      object.position.x = spacing * 5 * Math.round(middle.x / (5 * spacing)); // lines at round numbers
      object.position.y = spacing * 5 * Math.round(middle.y / (5 * spacing));
    }
    return object;
  }

  private plane(n: Vector3): Object3D {
    const floor = n.dot(this.up) > 0.5;
    const reach = (floor ? 4 : 1) * this.size;
    const geometry = new PlaneGeometry(2 * reach, 2 * reach);
    const grid = gridMaterial(niceSpacing(this.size), reach, floor ? 0.85 : 0.1);
    this.grids.push(grid);
    const group = new Group().add(new Mesh(geometry, grid));
    if (floor && this.shadows) {
      const shadow = new Mesh(geometry, new ShadowMaterial({ opacity: 0.22, depthWrite: false }));
      shadow.receiveShadow = true;
      shadow.renderOrder = 1;
      group.add(shadow);
    }
    group.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), n);
    return group;
  }

  // 2D: the solid side of a line, and the line.
  private region(n: Vector3): Object3D {
    const far = 30 * this.size;
    const face = new MeshBasicMaterial({ side: DoubleSide });
    const edge = new MeshBasicMaterial({ side: DoubleSide });
    this.faces.push(face);
    this.edges.push(edge);
    const width = 0.006 * this.size;
    const solid = new Mesh(new PlaneGeometry(2 * far, far).translate(0, -far / 2, -0.02 * this.size), face);
    const line = new Mesh(new PlaneGeometry(2 * far, width).translate(0, -width / 2, -0.015 * this.size), edge);
    const group = new Group().add(solid, line);
    group.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), n));
    return group;
  }

  private heightField(shape: Shape): Object3D {
    const rows = (Array.isArray(shape.heights![0]) ? shape.heights : [shape.heights]) as number[][];
    return this.result.head.dimension === 2 ? this.profile(rows[0], shape.spacing!) : this.relief(rows, shape.spacing!);
  }

  // 2D: what is below the heights, and a line along them.
  private profile(heights: number[], spacing: number): Object3D {
    const floor = Math.min(...heights) - 2 * this.size;
    const face = new MeshBasicMaterial({ side: DoubleSide });
    const edge = new MeshBasicMaterial({ side: DoubleSide });
    this.faces.push(face);
    this.edges.push(edge);
    const solid = new Mesh(this.strip(heights, spacing, () => floor), face);
    const line = new Mesh(this.strip(heights, spacing, (z) => z - 0.008 * this.size), edge);
    solid.position.z = -0.02 * this.size;
    line.position.z = -0.015 * this.size;
    return new Group().add(solid, line);
  }

  // Between the heights and another height below each.
  private strip(heights: number[], spacing: number, below: (z: number) => number): BufferGeometry {
    const position: number[] = [];
    const index: number[] = [];
    heights.forEach((z, k) => {
      const x = (k - (heights.length - 1) / 2) * spacing;
      position.push(x, z, 0, x, below(z), 0);
      if (k > 0) index.push(2 * k - 2, 2 * k - 1, 2 * k, 2 * k, 2 * k - 1, 2 * k + 1);
    });
    return surface(position, index);
  }

  // Cells are cut along the diagonal from (i, j) to (i+1, j+1).
  private relief(rows: number[][], spacing: number): Object3D {
    const [n, m] = [rows.length, rows[0].length];
    const position: number[] = [];
    const index: number[] = [];
    rows.forEach((row, j) => {
      row.forEach((z, i) => {
        position.push((i - (m - 1) / 2) * spacing, (j - (n - 1) / 2) * spacing, z);
        const at = j * m + i;
        if (i > 0 && j > 0) index.push(at - m - 1, at - m, at, at - m - 1, at, at - 1);
      });
    });
    const material = new MeshStandardMaterial({ side: DoubleSide, roughness: 0.95, flatShading: true });
    this.reliefs.push(material);
    const mesh = new Mesh(surface(position, index), material);
    mesh.receiveShadow = true;
    return new Group().add(mesh, this.lines(position, n, m));
  }

  // Lines along rows and columns, at most about MOST_LINES of each, so that slopes can be seen.
  private lines(position: number[], n: number, m: number): Object3D {
    const index: number[] = [];
    const stride = (count: number) => Math.ceil(count / MOST_LINES);
    for (let j = 0; j < n; j++) {
      for (let i = 0; i < m; i++) {
        const at = j * m + i;
        if (i + 1 < m && j % stride(n) === 0) index.push(at, at + 1);
        if (j + 1 < n && i % stride(m) === 0) index.push(at, at + m);
      }
    }
    const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(position, 3));
    const material = new LineBasicMaterial({ transparent: true, opacity: 0.5 });
    this.strokes.push(material);
    const lines = new LineSegments(geometry.setIndex(index), material);
    lines.position.z = 1e-3 * this.size; // above the surface
    return lines;
  }
}
