// balls.ts - thousands of balls: each is one point, drawn as a disk that is shaded like a ball. That is a hundred times less
// work than triangles, and all that can be seen of a small ball; how it is turned is not shown.
import { BufferAttribute, BufferGeometry, Color, Matrix4, Object3D, Points, Raycaster, ShaderMaterial, Sphere, Vector3 } from "three";
import { sunSide } from "./camera";
import type { Look } from "./meshes";

const VERTEX = `
attribute vec3 tint;
attribute float radius;
uniform float height;
varying vec3 colour;
void main() {
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  colour = tint;
  gl_Position = projectionMatrix * at;
  gl_PointSize = height * projectionMatrix[1][1] * radius / gl_Position.w;
}`;

const FRAGMENT = `
uniform vec3 sun;
uniform vec3 sky;
varying vec3 colour;
void main() {
  vec2 p = vec2(2.0, -2.0) * (gl_PointCoord - 0.5);
  float inside = 1.0 - dot(p, p);
  if (inside < 0.0) discard;
  vec3 normal = vec3(p, sqrt(inside));
  float light = 0.8 + 0.09 * dot(normal, sky) + 0.19 * max(0.0, dot(normal, sun));
  gl_FragColor = vec4(colour * light, 1.0); // of the screen: no conversion for every pixel
}`;

export class Balls implements Look {
  readonly objects: Object3D[];
  private readonly at: BufferAttribute;
  private readonly tint: BufferAttribute;

  constructor(
    private readonly radius: number[],
    up: Vector3,
  ) {
    const n = radius.length;
    this.at = new BufferAttribute(new Float32Array(3 * n), 3);
    this.tint = new BufferAttribute(new Float32Array(3 * n), 3);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.at);
    geometry.setAttribute("tint", this.tint);
    geometry.setAttribute("radius", new BufferAttribute(new Float32Array(radius), 1));
    const uniforms = { height: { value: 1 }, sun: { value: new Vector3() }, sky: { value: new Vector3() } };
    const points = new Points(geometry, new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms }));
    const sun = up.clone().add(sunSide(up)).normalize();
    this.objects = [points];
    points.frustumCulled = false;
    points.onBeforeRender = (renderer, _scene, camera) => {
      uniforms.height.value = renderer.getContext().drawingBufferHeight;
      uniforms.sun.value.copy(sun).transformDirection(camera.matrixWorldInverse);
      uniforms.sky.value.copy(up).transformDirection(camera.matrixWorldInverse);
      points.material.uniformsNeedUpdate = true;
    };
  }

  place(k: number, at: Matrix4): void {
    const e = at.elements;
    this.at.setXYZ(k, e[12], e[13], e[14]);
    this.at.needsUpdate = true;
  }

  paint(k: number, face: Color): void {
    const { r, g, b } = face.clone().convertLinearToSRGB();
    this.tint.setXYZ(k, r, g, b);
    this.tint.needsUpdate = true;
  }

  meet({ ray }: Raycaster): { shape: number; distance: number } {
    const best = { shape: -1, distance: Infinity };
    const sphere = new Sphere();
    const hit = new Vector3();
    this.radius.forEach((radius, k) => {
      sphere.center.fromBufferAttribute(this.at, k);
      sphere.radius = radius;
      const distance = ray.intersectSphere(sphere, hit)?.distanceTo(ray.origin) ?? Infinity;
      if (distance < best.distance) Object.assign(best, { shape: k, distance });
    });
    return best;
  }
}
