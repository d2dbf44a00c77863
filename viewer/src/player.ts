// player.ts - the time that is shown: playing, seeking, speed. Everything that shows time listens to it.

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

export class Player {
  time: number;
  playing = false;
  speed: number;
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly begin: number,
    readonly end: number,
  ) {
    this.time = begin;
    this.speed = fittingSpeed(end - begin);
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(this.begin, time));
    this.tell();
  }

  // Playing from the end starts at the beginning.
  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.begin;
    this.tell();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell();
  }

  // The next faster (1) or slower (-1) speed.
  changeSpeed(by: number): void {
    const place = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place))]);
  }

  // Called with the seconds since the last picture.
  advance(seconds: number): void {
    if (!this.playing) return;
    this.time += seconds * this.speed;
    if (this.time >= this.end) {
      this.time = this.end;
      this.playing = false;
    }
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

// Real time, unless the motion would then be over at once or go on for long.
function fittingSpeed(duration: number): number {
  const fits = SPEEDS.filter((speed) => duration / speed >= 3 && duration / speed <= 20);
  if (fits.length === 0) return 1;
  return fits.reduce((best, speed) => (Math.abs(Math.log(speed)) < Math.abs(Math.log(best)) ? speed : best));
}
