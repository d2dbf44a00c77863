// frames.mjs PAGE.html - how soon a page shows its first picture, how many pictures per second it plays, and how much time of
// the processor each of them takes, by process of the browser. The latter hardly depends on what else the machine does.
import { launch, open } from "./browser.mjs";

const SECONDS = 8;
const browser = await launch();
const session = await browser.newBrowserCDPSession();

// Seconds of the processor that each kind of process has used: browser, renderer (the page's script), GPU (drawing).
async function usedTime() {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const used = {};
  for (const { type, cpuTime } of processInfo) used[type] = (used[type] ?? 0) + cpuTime;
  return used;
}

const begin = performance.now();
const tab = await open(browser, process.argv[2], "#still", { viewport: { width: 1280, height: 720 } });
const loading = Object.values(await usedTime()).reduce((a, b) => a + b);
console.log(`first picture after ${((performance.now() - begin) / 1000).toFixed(2)} s; ${loading.toFixed(2)} s of processor time`);

await tab.evaluate(() => window.slipstick.player.toggle());
await tab.waitForTimeout(1000); // for the pace to settle
const from = await tab.evaluate(() => window.slipstick.pictures);
const [start, before] = [performance.now(), await usedTime()];
await tab.waitForTimeout(1000 * SECONDS);
const [pictures, after] = [(await tab.evaluate(() => window.slipstick.pictures)) - from, await usedTime()];
console.log(`${((1000 * pictures) / (performance.now() - start)).toFixed(1)} pictures per second`);
for (const [kind, seconds] of Object.entries(after)) {
  console.log(`${((1000 * (seconds - (before[kind] ?? 0))) / pictures).toFixed(1)} ms of processor time for each: ${kind}`);
}
await browser.close();
