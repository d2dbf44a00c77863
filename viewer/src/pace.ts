// pace.ts - keeps motion fluent where pictures take long to draw (without a graphics card, a crowd of bodies): after some late
// pictures the views have half of the pixels in each direction, after some more a third, until the motion stops.
const SHARES = [1, 1 / 2, 1 / 3]; // of the pixels in each direction
const LATE = 1 / 20; // s between two pictures
const PATIENCE = 3; // late pictures

export class Pace {
  private level = 0;
  private late = 0;

  get share(): number {
    return SHARES[this.level];
  }

  // To be told of every picture, with the seconds since the one before.
  take(seconds: number, playing: boolean): void {
    this.late = playing ? Math.max(0, this.late + (seconds > LATE ? 1 : -1)) : 0;
    if (!playing) this.level = 0;
    if (this.late >= PATIENCE && this.level + 1 < SHARES.length) {
      this.level++;
      this.late = 0;
    }
  }
}
