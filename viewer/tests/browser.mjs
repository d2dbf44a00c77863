// browser.mjs - what the tests share: a browser without a window, results and pages made by slipstick, checks that are counted.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const root = new URL("../..", import.meta.url).pathname;
export const temp = mkdtempSync(join(tmpdir(), "slipstick-viewer-"));
process.on("exit", () => rmSync(temp, { recursive: true, force: true }));

const program = process.env.SLIPSTICK ?? join(root, "build/slipstick");
const environment = { ...process.env, OPENBLAS_NUM_THREADS: "1" };
export const slipstick = (...words) => execFileSync(program, words, { env: environment, encoding: "utf8" });

// ---- checks --------------------------------------------------------------------------------------------

let passed = 0;
const failures = [];

export function check(sentence, truth) {
  if (truth) passed++;
  else failures.push(sentence), console.log(`FAILED: ${sentence}`);
}

export const near = (sentence, a, b, tolerance) => check(`${sentence}: ${a}, expected ${b}`, Math.abs(a - b) <= tolerance);

export function finish() {
  console.log(`viewer: ${passed} passed, ${failures.length} failed`);
  process.exit(failures.length > 0 ? 1 : 0);
}

// ---- results and pages ---------------------------------------------------------------------------------

// Run a scene and make its page; the result's numbers by name come from a CSV file of the same run.
export function makePage(name, scene, ...words) {
  const at = (extension) => join(temp, name + extension);
  slipstick("run", scene, "--quiet", "-o", at(".h5"), "-o", at(".csv"), ...words);
  slipstick("view", at(".h5"), "-o", at(".html"));
  return { result: at(".h5"), page: at(".html"), columns: readColumns(at(".csv")) };
}

function readColumns(path) {
  const [names, ...rows] = readFileSync(path, "utf8").trim().split("\n").map((line) => line.split(","));
  return Object.fromEntries(names.map((name, k) => [name, rows.map((row) => Number(row[k]))]));
}

// ---- the browser ---------------------------------------------------------------------------------------

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

// As on a machine without a graphics card: WebGL by SwiftShader, the page itself put together in software. (By SwiftShader, too,
// which is what the browser does if it is not told otherwise here, that would take longer than drawing ten thousand balls.)
const SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-gpu-compositing"];

export function launch() {
  const executablePath = BROWSERS.find((path) => existsSync(path));
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...SOFTWARE] });
}

// Open a page and wait for its first pictures; what the browser complains about is a failure.
export async function open(browser, page, hash = "#still", options = {}) {
  const tab = await browser.newPage({ viewport: { width: 1200, height: 760 }, ...options });
  tab.on("console", (message) => {
    const known = /GPU stall due to ReadPixels|software WebGL/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !known) check(`the console is silent: ${message.text()}`, false);
  });
  tab.on("pageerror", (error) => check(`no error in the page: ${error.message}`, false));
  tab.on("request", (request) => check(`nothing is fetched: ${request.url().slice(0, 80)}`, /^(file|blob|data):/.test(request.url())));
  await tab.goto(`file://${page}${hash}`);
  await tab.waitForFunction(() => window.slipstick?.pictures > 0, null, { timeout: 60000 });
  return tab;
}

// Wait until what was asked for is drawn.
export async function drawn(tab) {
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

export const timeOf = (tab) => tab.evaluate(() => window.slipstick.player.time);

// Where a body's centre is on the screen.
export function placeOf(tab, name, result = 0) {
  return tab.evaluate(
    ([body, which]) => {
      const { views } = window.slipstick;
      const { camera, canvas } = views[which];
      const at = camera.eye.position.clone().fromArray(window.slipstick.pose(which, body).position).project(camera.eye);
      const frame = canvas.getBoundingClientRect();
      return [frame.left + ((at.x + 1) / 2) * frame.width, frame.top + ((1 - at.y) / 2) * frame.height];
    },
    [name, result],
  );
}
