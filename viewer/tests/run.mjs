// run.mjs - the viewer in Debian's chromium: playback, poses against the data, picking, plots, keyboard, touch, names that are
// HTML, several results, pictures and films.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, drawn, finish, launch, makePage, near, open, placeOf, root, slipstick, temp, timeOf } from "./browser.mjs";

const showcase = makePage("showcase", join(root, "scenes/showcase.json"), "--until", "1.5");
const cube = makePage("cube", join(root, "papers/ap97/sliding_cube.json"), "--until", "0.3");
const browser = await launch();

const valueAt = (columns, name, t) => {
  const k = Math.max(0, columns.t.findIndex((time) => time > t) - 1);
  const s = (t - columns.t[k]) / (columns.t[k + 1] - columns.t[k]);
  return columns[name][k] + s * (columns[name][k + 1] - columns[name][k]);
};

async function playbackAdvances() {
  const tab = await open(browser, showcase.page, "");
  const first = await timeOf(tab);
  await tab.waitForFunction((t) => window.slipstick.player.time > t + 0.05, first);
  await tab.keyboard.press("Space");
  const stopped = await timeOf(tab);
  await drawn(tab);
  check("the space bar stops it", (await timeOf(tab)) === stopped && stopped > first);
  await tab.keyboard.press("End");
  near("End is the end", await timeOf(tab), 1.5, 1e-12);
  await tab.keyboard.press("Space");
  await tab.waitForFunction(() => window.slipstick.player.time < 1);
  check("playing from the end starts at the beginning", true);
  await tab.close();
}

async function scrubbingShowsTheData() {
  const tab = await open(browser, showcase.page);
  for (const t of [0, 0.4, 0.83203125, 1.2345]) {
    await tab.locator("input[type=range]").fill(`${t}`);
    await drawn(tab);
    near("the slider sets the time", await timeOf(tab), t, 1e-12);
    for (const body of ["hammer", "ball", "box2"]) {
      const pose = await tab.evaluate((name) => window.slipstick.pose(0, name), body);
      // 32-bit numbers below 4 m and 20 rad, linear between states 1/512 s apart
      near(`x of ${body} at ${t}`, pose.position[0], valueAt(showcase.columns, `${body}.x`, t), 1e-6);
      near(`y of ${body} at ${t}`, pose.position[1], valueAt(showcase.columns, `${body}.y`, t), 1e-6);
      near(`angle of ${body} at ${t}`, pose.angle, valueAt(showcase.columns, `${body}.angle`, t), 1e-5);
    }
  }
  await tab.close();
}

// A body is drawn where its pose says: a click there chooses it, and its state is shown.
async function clicksChooseBodies() {
  const tab = await open(browser, showcase.page, "#t=0.5");
  for (const body of ["box1", "ball", "box3"]) {
    await tab.mouse.click(...(await placeOf(tab, body)));
    await drawn(tab);
    check(`a click chooses ${body}`, (await tab.locator(".panel select").inputValue()) === body);
    const shown = await tab.locator(".state tr", { hasText: "position" }).locator("td").textContent();
    const x = valueAt(showcase.columns, `${body}.x`, 0.5).toFixed(4).replace("-", "\u2212");
    check(`its position is shown: ${shown}, expected ${x}`, shown.startsWith(x));
  }
  await tab.mouse.click(300, 120);
  await drawn(tab);
  check("a click on nothing chooses nothing", (await tab.locator(".panel select").inputValue()) === "");
  await tab.close();
}

async function plotsFollowAndLead() {
  const tab = await open(browser, showcase.page, "#t=0.2");
  const picture = () => tab.evaluate(() => [...document.querySelectorAll("canvas.plot")].map((c) => c.toDataURL()));
  const before = await picture();
  check("there are three plots", before.length === 3);
  await tab.keyboard.press("End");
  await drawn(tab);
  const after = await picture();
  check("every plot shows the new time", before.every((one, k) => one !== after[k]));
  const reading = await tab.locator("figure .value").first().textContent();
  const energy = showcase.columns.kinetic.at(-1) + showcase.columns.potential.at(-1);
  near("the energy is that of the data", Number(reading.split(" ")[0].replace("\u2212", "-")), energy, 1e-3 * Math.abs(energy));
  const box = await tab.locator("canvas.plot").first().boundingBox();
  await tab.mouse.click(box.x + 56 + (box.width - 64) / 2, box.y + 20);
  near("a click in the middle of a plot is the middle of the time", await timeOf(tab), 0.75, 0.01);
  await tab.close();
}

async function keysDoWhatTheCardSays() {
  const tab = await open(browser, showcase.page, "#t=0.5");
  await tab.keyboard.press("ArrowRight");
  near("right is one frame on", await timeOf(tab), 0.5 + 1 / 512, 1e-12);
  await tab.keyboard.press("Shift+ArrowLeft");
  near("left with shift is ten frames back", await timeOf(tab), 0.5 - 9 / 512, 1e-12);
  await tab.keyboard.press("e");
  check("E is the next event", (await timeOf(tab)) > 0.5);
  await tab.keyboard.press("n");
  check("N chooses the first body", (await tab.locator(".panel select").inputValue()) === "upper");
  await tab.keyboard.press("t");
  check("T shows trails", await tab.getByLabel("Trails").isChecked());
  const theme = await tab.evaluate(() => document.documentElement.dataset.theme);
  await tab.keyboard.press("d");
  check("D changes the theme", (await tab.evaluate(() => document.documentElement.dataset.theme)) !== theme);
  await tab.keyboard.press("h");
  check("H hides the panel", !(await tab.locator(".panel").isVisible()));
  await tab.keyboard.press("?");
  check("? opens the card of keys", await tab.locator("dialog").isVisible());
  await tab.close();
}

// While a body is followed its place on the screen stays.
async function followKeepsABodyInPlace() {
  const tab = await open(browser, showcase.page, "#t=0.5&body=ball");
  await tab.keyboard.press("f");
  const before = await placeOf(tab, "ball");
  await tab.keyboard.press("End");
  await drawn(tab);
  const after = await placeOf(tab, "ball");
  near("x of the ball on the screen", after[0], before[0], 0.5);
  near("y of the ball on the screen", after[1], before[1], 0.5);
  await tab.close();
}

async function namesAreText() {
  const name = "<img src=x onerror=window.broken=1>";
  const scene = {
    slipstick: 1,
    name: `</script><script>window.broken=1</script>${name}`,
    dimension: 2,
    time: { until: 0.1, step: 0.01 },
    bodies: [{ name, type: "rigid", mass: 1, position: [0, 0], shapes: [{ type: "disk", radius: 1 }] }],
  };
  writeFileSync(join(temp, "evil.json"), JSON.stringify(scene));
  const evil = makePage("evil", join(temp, "evil.json"));
  const tab = await open(browser, evil.page, `#still&body=${encodeURIComponent(name)}`);
  check("nothing of the scene was run", await tab.evaluate(() => window.broken === undefined));
  check("nor became an element", (await tab.locator("img").count()) === 0);
  check("the title is the name of the scene", (await tab.locator("h1").textContent()) === scene.name);
  check("the body's name is shown", (await tab.locator(".panel select").inputValue()) === name);
  await tab.close();
}

async function twoResultsAreShownInStep() {
  const moreau = join(temp, "moreau.h5");
  slipstick("run", join(root, "papers/ap97/sliding_cube.json"), "--scheme", "moreau", "--until", "0.3", "--quiet", "-o", moreau);
  slipstick("view", cube.result, moreau, "-o", join(temp, "two.html"));
  const tab = await open(browser, join(temp, "two.html"), "#t=0.2");
  check("there are two views", (await tab.locator(".view canvas").count()) === 2);
  await tab.mouse.click(...(await placeOf(tab, "cube", 1)));
  await drawn(tab);
  check("a body chosen in one is chosen in both", (await tab.locator(".state table").count()) === 2);
  const [x, y] = await placeOf(tab, "cube", 0);
  await tab.mouse.move(x, y + 150);
  await tab.mouse.down();
  await tab.mouse.move(x + 80, y + 120, { steps: 4 });
  await tab.mouse.up();
  await drawn(tab);
  const eyes = await tab.evaluate(() => window.slipstick.views.map((view) => view.camera.eye.position.toArray()));
  check("both cameras turn together", eyes[0].every((value, k) => Math.abs(value - eyes[1][k]) < 1e-9));
  await tab.close();
}

async function aPhoneIsEnough() {
  const phone = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
  const tab = await open(browser, cube.page, "#t=0.1", phone);
  await tab.touchscreen.tap(...(await placeOf(tab, "cube")));
  await drawn(tab);
  check("a tap chooses a body", (await tab.locator(".panel select").inputValue()) === "cube");
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  check("nothing sticks out", wide);
  await tab.locator("button.main").tap();
  await tab.waitForFunction(() => window.slipstick.player.time > 0.11);
  check("a tap plays", true);
  await tab.close();
}

// All bodies are in the picture from the beginning, also those that are far from the origin of their body, and fill it.
async function thePictureIsFilled() {
  const four = makePage("four_bar", join(root, "scenes/howto/four_bar.json"), "--until", "0.1");
  const tab = await open(browser, four.page, "#still&bare");
  const size = tab.viewportSize();
  const [left] = await placeOf(tab, "crank");
  const right = await tab.evaluate(() => {
    const { camera } = window.slipstick.views[0];
    return ((camera.eye.position.clone().set(1.36, 0.28, 0).project(camera.eye).x + 1) / 2) * innerWidth; // the shelf's end
  });
  check(`the crank is near the left edge: ${left}`, left > 0 && left < 0.3 * size.width);
  check(`the shelf's end is near the right edge: ${right}`, right < size.width && right > 0.85 * size.width);
  await tab.close();
}

// What moves stays in the picture: the palm of the gripper rises to its top.
async function whatMovesStaysInThePicture() {
  const gripper = makePage("gripper", join(root, "scenes/howto/gripper.json"), "--until", "1.6", "--every", "0.004");
  const tab = await open(browser, gripper.page, "#t=1.6&bare");
  const top = await tab.evaluate(() => {
    const { camera } = window.slipstick.views[0];
    const at = camera.eye.position.clone();
    const corner = (x, y) => ((1 - at.set(x, y, 0.385).project(camera.eye).y) / 2) * innerHeight;
    return Math.min(corner(-0.13, -0.025), corner(-0.13, 0.025), corner(0.13, -0.025), corner(0.13, 0.025));
  });
  check(`the palm's upper corners are below the upper edge: ${top}`, top > 0 && top < 0.3 * tab.viewportSize().height);
  await tab.close();
}

// An element is drawn between its nodes; a held node is where its holder is.
async function elementsLieBetweenTheirNodes() {
  const scene = {
    slipstick: 1,
    dimension: 2,
    gravity: [0, -9.81],
    time: { until: 0.2, step: 0.01 },
    bodies: [{ name: "post", type: "driven", position: ["0.5 + 0.1*t", "1"], shapes: [{ type: "box", size: [0.1, 0.1] }] }],
    elements: [{ name: "beam", type: "beam", size: [1, 0.03], divisions: 4, E: 2e7, density: 300, position: [0.5, 1], first: "post", contact: "none" }],
  };
  writeFileSync(join(temp, "beam.json"), JSON.stringify(scene));
  const beam = makePage("beam", join(temp, "beam.json"), "--scheme", "moreau");
  const tab = await open(browser, beam.page, "#t=0.2");
  const drawn = await tab.evaluate(() => {
    const { mesh } = window.slipstick.views[0].flexible;
    return Array.from({ length: mesh.count }, (_, k) => [...mesh.instanceMatrix.array.slice(16 * k, 16 * k + 16)]);
  });
  check("there are four elements", drawn.length === 4);
  const node = (k) => (k === 0 ? [0.52, 1] : ["x", "y"].map((axis) => beam.columns[`beam.${k}.${axis}`].at(-1)));
  drawn.forEach((at, k) => {
    for (const i of [0, 1]) {
      near(`element ${k} begins at its node, ${"xy"[i]}`, at[12 + i] - at[i] / 2, node(k)[i], 1e-6);
      near(`and ends at the next, ${"xy"[i]}`, at[12 + i] + at[i] / 2, node(k + 1)[i], 1e-6);
    }
    near(`element ${k} is as high as it should be`, Math.hypot(at[4], at[5]), 0.03, 1e-6);
  });
  await tab.close();
}

// The surface of a solid moves with its nodes, held ones stay, and its colour is that of the stress in the data.
async function solidsAreDrawnAsTheirSurface() {
  const scene = {
    slipstick: 1,
    dimension: 3,
    time: { until: 1, step: 0.5 },
    bodies: [{ name: "clamp", type: "driven", position: ["0.02*t", "0", "0"] }],
    elements: [{ name: "b", type: "tetrahedron", size: [0.2, 0.1, 0.1], divisions: [4, 2, 2], E: 1000, density: 1e-6, left: "world", right: "clamp" }],
  };
  writeFileSync(join(temp, "pulled.json"), JSON.stringify(scene));
  const pulled = makePage("pulled", join(temp, "pulled.json"), "--scheme", "anitescu_convex");
  const tab = await open(browser, pulled.page, "#t=1");
  const solid = await tab.evaluate(() => {
    const { solids } = window.slipstick.views[0];
    const places = [...solids.geometry.getAttribute("position").array];
    return { faces: solids.faces.length, places, middle: solids.stressAt(0.75, 22), end: solids.stressAt(1, 22) };
  });
  check(`2 (8 + 8 + 4) triangles on each pair of sides: ${solid.faces}`, solid.faces === 80);
  const at = (node) => solid.places.slice(3 * node, 3 * node + 3);
  near("a node that the world holds stays", at(0)[0], 0, 1e-7);
  near("one that the clamp holds moves with it", at(4)[0], 0.22, 1e-7);
  near("a free node is where the data say", at(22)[0], pulled.columns["b.22.x"].at(-1), 1e-7);
  // drawn out by a tenth without hindrance: E e = 100 in every element; half way between two states their mean
  near("the stress is that of the data", solid.end, 100, 0.5);
  near("between states it is interpolated", solid.middle, 75, 1);
  const legend = await tab.locator(".view .stress").textContent();
  check(`the legend says what colours are: ${legend}`, /von Mises stress/.test(legend) && /10\d|100/.test(legend));
  const picture = () => tab.locator(".view canvas").screenshot();
  const after = await picture();
  await tab.keyboard.press("Home");
  await drawn(tab);
  check("another time is another picture", !after.equals(await picture()));
  await tab.close();
  const plain = await open(browser, cube.page);
  check("rigid bodies have no legend", (await plain.locator(".view .stress").count()) === 0);
  await plain.close();
}

// Where pictures take long, fewer pixels are drawn while it plays.
async function slowPicturesAreCoarse() {
  const tab = await open(browser, cube.page, "#still");
  const width = () => tab.evaluate(() => document.querySelector(".view canvas").width);
  const full = await width();
  await tab.evaluate(() => {
    const [view] = window.slipstick.views;
    const draw = view.draw.bind(view);
    view.draw = () => {
      for (const start = performance.now(); performance.now() < start + 70; );
      draw();
    };
    window.slipstick.player.setSpeed(0.01);
  });
  await tab.keyboard.press("Space");
  await tab.waitForFunction((w) => document.querySelector(".view canvas").width < 0.6 * w, full);
  await tab.waitForFunction((w) => document.querySelector(".view canvas").width < 0.4 * w, full);
  await tab.keyboard.press("Space");
  await tab.waitForFunction((w) => document.querySelector(".view canvas").width === w, full);
  check("all pixels are back when it stands still", (await width()) === full);
  await tab.close();
}

// A film is one that ffprobe can read, as long as the motion at its speed.
async function filmsAreMade() {
  if (!canFilm()) return;
  const film = join(temp, "showcase.mp4");
  slipstick("view", showcase.result, "--film", film);
  const ask = ["-v", "error", "-show_entries", "stream=width,height,nb_frames", "-of", "csv=p=0", film];
  const [width, height, frames] = execFileSync("ffprobe", ask, { encoding: "utf8" }).trim().split(",").map(Number);
  check(`it is 1280 x 720: ${width} x ${height}`, width === 1280 && height === 720);
  check(`1.5 s at half of real time, 30 pictures per second: ${frames}`, frames === 91);
}

function canFilm() {
  return ["ffmpeg", "ffprobe"].every((name) => existsSync(`/usr/bin/${name}`));
}

// The picture of --png is what the page shows: PNG, 1280 x 720, and different at different times.
async function picturesAreTaken() {
  const take = (name, at) => {
    slipstick("view", cube.result, "--png", join(temp, name), "--at", at);
    return readFileSync(join(temp, name));
  };
  const [first, later] = [take("first.png", "0"), take("later.png", "0.3")];
  check("it is a PNG", first.subarray(1, 4).toString() === "PNG");
  check("of 1280 x 720", first.readUInt32BE(16) === 1280 && first.readUInt32BE(20) === 720);
  check("another time is another picture", !first.equals(later));
}

const tests = [
  playbackAdvances,
  scrubbingShowsTheData,
  clicksChooseBodies,
  plotsFollowAndLead,
  keysDoWhatTheCardSays,
  followKeepsABodyInPlace,
  namesAreText,
  twoResultsAreShownInStep,
  aPhoneIsEnough,
  picturesAreTaken,
  thePictureIsFilled,
  whatMovesStaysInThePicture,
  elementsLieBetweenTheirNodes,
  solidsAreDrawnAsTheirSurface,
  slowPicturesAreCoarse,
  filmsAreMade,
];
for (const test of tests) {
  try {
    await test();
  } catch (error) {
    check(`${test.name}: ${error.message}`, false);
  }
}
await browser.close();
finish();
