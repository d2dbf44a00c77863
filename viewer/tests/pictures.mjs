// pictures.mjs FOLDER [NAME..] - the pictures of the docs: results are run, shown in the browser, and photographed.
//
// A picture is made of results (a scene and the words of its run each, on one page) or of the scene that a script, a program or
// `generate` wrote. `hash` is what the page shows at first, `keys` are pressed then; `times` makes one picture beside the other.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawn, launch, makePage, open, root, slipstick, temp } from "./browser.mjs";

const PAGE = { width: 1200, height: 740 };
const VIEW = { width: 1000, height: 560 };
const TALL = { width: 300, height: 560 };

// finer, and its end towards the camera
const CUBE = ["--set", "elements.cube.divisions=[6,6,6]", "--set", "elements.cube.orientation=[0.8373,0.3468,-0.1617,-0.3904]"];

const PICTURES = [
  { name: "showcase", scenes: [["scenes/wrecking_ball.json"]], hash: "#t=1.35&light", size: PAGE },
  { name: "hammer", scenes: [["scenes/showcase.json"]], hash: "#t=1.15&light", size: PAGE },
  { name: "arm", scenes: [["scenes/arm.json"]], hash: "#t=1.2&dark&trails&body=brush", size: PAGE },
  {
    name: "two_schemes",
    scenes: [["papers/ap97/sliding_cube.json"], ["papers/ap97/sliding_cube.json", "--scheme", "moreau"]],
    hash: "#t=0.3&light&body=cube",
    size: PAGE,
  },
  { name: "rocking_block", scenes: [["papers/bac14/rocking_block.json", "--scheme", "galpha_ggl"]], hash: "#t=0.301&light", size: PAGE },
  { name: "rover", scenes: [["papers/pagt06/rover.json", "--every", "0.05"]], hash: "#t=14&light&bare", size: VIEW },
  { name: "elastic_bar", scenes: [["papers/bac14/bar.json", "--scheme", "galpha_ggl"]], hash: "#t=0.7&light", size: PAGE },
  {
    name: "dropped_cube",
    scenes: [["papers/flexible/cube.json", "--scheme", "moreau", "--step", "0.002", ...CUBE]],
    hash: "#t=0.182&light",
    size: PAGE,
  },
  { name: "hertz", python: ["tests/cli/hertz.py", "8"], hash: "#t=4&light&bare", keys: "ac", size: VIEW },
  { name: "four_bar", scenes: [["scenes/howto/four_bar.json"]], hash: "#t=1.2&light&bare", size: VIEW },
  { name: "gripper", scenes: [["scenes/howto/gripper.json"]], hash: "#t=1.7&light&bare", size: VIEW },
  { name: "cart", scenes: [["scenes/howto/cart.json", "--until", "2.4"]], hash: "#t=1.9&light&bare", size: VIEW },
  { name: "dominoes", script: "docs/howto/dominoes.md", hash: "#t=1.05&light&bare", keys: "ac", size: VIEW },
  {
    name: "pile",
    generate: ["pile", "--bodies", "200", "--dimension", "3", "--size-spread", "0.3", "--seed", "7"],
    words: ["--until", "1.2", "--every", "1/60", "--solver-tol", "1e-4"],
    hash: "#t=1.2&light&bare",
    size: VIEW,
  },
  {
    name: "brazil_nut",
    scenes: [["papers/ani06/brazil_nut.json", "--every", "0.5"]],
    hash: "#light&bare&still",
    times: [0, 25, 50, 75],
    size: TALL,
  },
];

// The scene that the Python script of a page writes.
function runScript(page, name) {
  const [, text] = readFileSync(join(root, page), "utf8").match(/^```python \S+\n([^]*?)^```/m);
  writeFileSync(join(temp, "script.py"), text);
  execFileSync("python3", ["script.py"], { cwd: temp });
  return join(temp, `${name}.json`);
}

// The scene that a Python program writes into the folder it is given.
function runPython([program, ...words], name) {
  execFileSync("python3", [join(root, program), temp, ...words]);
  return join(temp, `${name}.json`);
}

function scenesOf({ name, scenes, script, python, generate, words = [] }) {
  if (python) return [[runPython(python, name), ...words]];
  if (script) return [[runScript(script, name), ...words]];
  if (!generate) return scenes.map(([scene, ...rest]) => [join(root, scene), ...rest]);
  const out = join(temp, `${name}.json`);
  slipstick("generate", ...generate, "-o", out);
  return [[out, ...words]];
}

async function photograph(browser, page, { hash, keys = "", size }, time, path) {
  const tab = await open(browser, page, time === undefined ? hash : `${hash}&t=${time}`, { viewport: size });
  for (const key of keys) await tab.keyboard.press(key);
  await drawn(tab);
  await tab.screenshot({ path });
  await tab.close();
}

async function make(browser, folder, picture) {
  const { name, times = [undefined] } = picture;
  const results = scenesOf(picture).map(([scene, ...words], k) => makePage(`${name}${k}`, scene, ...words).result);
  const page = join(temp, `${name}.html`);
  slipstick("view", ...results, "-o", page);
  const shots = times.map((_, k) => join(temp, `${name}-${k}.png`));
  for (const [k, time] of times.entries()) await photograph(browser, page, picture, time, shots[k]);
  const out = join(folder, `${name}.webp`);
  const beside = shots.length > 1 ? ["-filter_complex", `hstack=inputs=${shots.length}`] : [];
  const webp = ["-c:v", "libwebp", "-quality", "82", out];
  execFileSync("ffmpeg", ["-y", "-loglevel", "error", ...shots.flatMap((shot) => ["-i", shot]), ...beside, ...webp]);
  console.log(out);
}

const [folder = join(root, "docs/pictures"), ...names] = process.argv.slice(2);
const browser = await launch();
for (const picture of PICTURES) {
  const missing = (picture.scenes ?? []).some(([scene]) => !existsSync(join(root, scene)));
  if (!missing && (names.length === 0 || names.includes(picture.name))) await make(browser, folder, picture);
}
await browser.close();
