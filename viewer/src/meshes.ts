// meshes.ts - many shapes of one geometry: an instanced mesh for their faces, in 2D another one for their outlines.
import { BufferGeometry, Color, DoubleSide, InstancedMesh, Intersection, Material, Matrix4, MeshBasicMaterial, Object3D, Raycaster } from "three";
import type { Drawn } from "./shapes";

// What bodies.ts draws shapes with: shape k is placed, painted and met by a ray.
export interface Look {
  readonly objects: Object3D[];
  place(k: number, at: Matrix4): void;
  paint(k: number, face: Color, outline: Color): void;
  meet(ray: Raycaster): { shape: number; distance: number }; // -1: none
}

function instanced(geometry: BufferGeometry, material: Material, n: number): InstancedMesh {
  const mesh = new InstancedMesh(geometry, material, n);
  mesh.frustumCulled = false;
  return mesh;
}

export class Meshes implements Look {
  readonly objects: Object3D[];
  private readonly face: InstancedMesh;
  private readonly outline?: InstancedMesh;

  // `lift` puts outlines in front of the faces; without outlines shapes cast shadows.
  constructor(drawn: Drawn, material: Material, n: number, lift: number) {
    this.face = instanced(drawn.face, material, n);
    this.face.castShadow = this.face.receiveShadow = !drawn.outline;
    this.objects = [this.face];
    if (drawn.outline) {
      this.outline = instanced(drawn.outline, new MeshBasicMaterial({ side: DoubleSide }), n);
      this.outline.position.z = lift;
      this.objects.push(this.outline);
    }
  }

  place(k: number, at: Matrix4): void {
    for (const mesh of [this.face, this.outline]) {
      if (!mesh) continue;
      mesh.setMatrixAt(k, at);
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // found anew when a ray is cast
    }
  }

  paint(k: number, face: Color, outline: Color): void {
    this.face.setColorAt(k, face);
    this.outline?.setColorAt(k, outline);
    for (const mesh of [this.face, this.outline]) if (mesh?.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  meet(ray: Raycaster): { shape: number; distance: number } {
    const hits: Intersection[] = [];
    this.face.raycast(ray, hits as never);
    hits.sort((a, b) => a.distance - b.distance);
    return hits.length > 0 ? { shape: hits[0].instanceId!, distance: hits[0].distance } : { shape: -1, distance: Infinity };
  }
}
