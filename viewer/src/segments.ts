// segments.ts - straight rods between two points, all of one colour: one instanced mesh, filled anew for each time.
import { BufferGeometry, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4, MeshBasicMaterial, Quaternion, Vector3 } from "three";

const UP = new Vector3(0, 1, 0);

// A cylinder of radius 1 from (0,0,0) to (0,1,0).
export const rodGeometry = (): BufferGeometry => new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);

export class Segments {
  readonly mesh: InstancedMesh;
  readonly material: MeshBasicMaterial;
  private used = 0;
  private readonly at = new Matrix4();
  private readonly along = new Vector3();
  private readonly turn = new Quaternion();
  private readonly scale = new Vector3();

  constructor(
    geometry: BufferGeometry,
    private readonly most: number,
  ) {
    this.material = new MeshBasicMaterial();
    this.mesh = new InstancedMesh(geometry, this.material, Math.max(1, most));
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
  }

  clear(): void {
    this.used = 0;
    this.mesh.count = 0;
  }

  // From a along `by`, stretched to its length and to a thickness.
  add(a: Vector3, by: Vector3, thickness: number): void {
    const length = by.length();
    if (this.used >= this.most || !(length > 0)) return;
    this.turn.setFromUnitVectors(UP, this.along.copy(by).divideScalar(length));
    this.at.compose(a, this.turn, this.scale.set(thickness, length, thickness));
    this.mesh.setMatrixAt(this.used++, this.at);
    this.mesh.count = this.used;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
