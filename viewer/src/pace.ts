// pace.ts - keeps motion fluent where pictures take long to draw (without a graphics card, a crowd of bodies): after some late
// pictures the views are coarse, with half of the pixels in each direction, until the motion stops.
const LATE = 1 / 20; // s between two pictures
const PATIENCE = 3; // late pictures

export class Pace {
  coarse = false;
  private late = 0;

  // To be told of every picture, with the seconds since the one before.
  take(seconds: number, playing: boolean): void {
    if (!playing) this.late = 0;
    else this.late = seconds > LATE ? this.late + 1 : Math.max(0, this.late - 1);
    this.coarse = playing && (this.coarse || this.late >= PATIENCE);
  }
}
