// pictures.mjs FOLDER - the pictures of the docs: results are run, shown in the browser, and photographed.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { drawn, launch, makePage, open, root, slipstick, temp } from "./browser.mjs";

const folder = process.argv[2] ?? join(root, "docs/pictures");

const PICTURES = [
  { name: "showcase", scenes: [["scenes/showcase.json"]], hash: "#t=1.15&light" },
  { name: "arm", scenes: [["scenes/arm.json"]], hash: "#t=1.2&dark&trails&body=brush" },
  {
    name: "two_schemes",
    scenes: [["papers/ap97/sliding_cube.json"], ["papers/ap97/sliding_cube.json", "--scheme", "moreau"]],
    hash: "#t=0.3&light&body=cube",
  },
];

const browser = await launch();
for (const { name, scenes, hash } of PICTURES) {
  const results = scenes.map(([scene, ...words], k) => makePage(`${name}${k}`, join(root, scene), ...words).result);
  const page = join(temp, `${name}.html`);
  slipstick("view", ...results, "-o", page);
  const tab = await open(browser, page, hash, { viewport: { width: 1200, height: 740 } });
  await drawn(tab);
  await tab.screenshot({ path: join(temp, `${name}.png`) });
  await tab.close();
  const out = join(folder, `${name}.webp`);
  execFileSync("ffmpeg", ["-y", "-loglevel", "error", "-i", join(temp, `${name}.png`), "-c:v", "libwebp", "-quality", "82", out]);
  console.log(out);
}
await browser.close();
