// scene.ts - a scene as the result holds it: what the viewer reads of it. docs/scene.md describes all keys.

export interface Shape {
  type: string;
  material?: string;
  position?: number[];
  angle?: number;
  orientation?: number[];
  radius?: number;
  length?: number;
  size?: number[];
  points?: number[][];
  normal?: number[];
  offset?: number;
  heights?: number[] | number[][];
  spacing?: number;
}

export interface Body {
  name: string;
  type: "particle" | "rigid" | "fixed" | "driven";
  position?: (number | string)[];
  angle?: number | string;
  orientation?: number[];
  shapes?: Shape[];
}

export interface Joint {
  name?: string; // the scene's own have one; an element of a flexible body has none
  type: string;
  bodies: [string, string];
  anchors?: [number[], number[]];
  at?: number[];
}

export interface Force {
  name: string;
  type: string;
  bodies?: [string, string];
  anchors?: [number[], number[]];
}

// A flexible body: a row of elements, if `divisions` is a number.
export interface Elements {
  name: string;
  type: string;
  size: number[]; // length, height, width (3D)
  divisions: number;
  position: number[]; // of the first node
  angle?: number;
  orientation?: number[];
  first?: string; // what holds the first node
  last?: string;
}

export interface Scene {
  name?: string;
  description?: string;
  dimension: 2 | 3;
  gravity?: number[];
  bodies: Body[];
  elements?: Elements[];
  joints?: Joint[];
  forces?: Force[];
}
