// film.ts - pictures for files: the page draws them and writes each as a line of base64 into its document, from where
// `slipstick view --png` and `--film` take them. No panel and no buttons are in them, only the views and their labels.
import type { Player } from "./player";
import type { View } from "./view";

const RATE = 30; // pictures per second of a film
const MOST = 1200;

export interface Sitting {
  views: View[];
  player: Player;
  showAt(time: number): void;
}

// All views as they are laid out on the page.
function compose(views: View[], pen: CanvasRenderingContext2D): void {
  const origin = views[0].canvas.parentElement!.parentElement!.getBoundingClientRect();
  const style = getComputedStyle(document.body);
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(0, 0, pen.canvas.width, pen.canvas.height);
  for (const { canvas } of views) {
    const frame = canvas.getBoundingClientRect();
    const [x, y] = [frame.left - origin.left, frame.top - origin.top];
    pen.drawImage(canvas, x, y, frame.width, frame.height);
    const label = canvas.parentElement!.querySelector(".label");
    if (!label) continue;
    pen.fillStyle = style.color;
    pen.font = `16px ${style.fontFamily}`;
    pen.fillText(label.textContent!, x + 16, y + 30);
  }
}

function timesOf(player: Player): number[] {
  const span = player.end - player.begin;
  const n = Math.min(MOST, Math.max(1, Math.round((span / player.speed) * RATE)));
  return Array.from({ length: n + 1 }, (_, k) => player.begin + (span * k) / n);
}

// `film`: pictures of the whole motion; otherwise one of the present time.
export function takePictures({ views, player, showAt }: Sitting, film: boolean): void {
  const stage = views[0].canvas.parentElement!.parentElement!;
  const canvas = document.createElement("canvas");
  canvas.width = 2 * Math.floor(stage.clientWidth / 2); // films want even numbers
  canvas.height = 2 * Math.floor(stage.clientHeight / 2);
  const pen = canvas.getContext("2d")!;
  const out = document.createElement("pre");
  for (const time of film ? timesOf(player) : [player.time]) {
    showAt(time);
    compose(views, pen);
    out.append(`${canvas.toDataURL("image/png")}\n`);
  }
  document.body.append(out);
}
