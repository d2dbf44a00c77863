// frames.mjs PAGE.html - how soon a page shows its first picture, and how many pictures per second it plays.
import { launch, open } from "./browser.mjs";

const browser = await launch();
const begin = performance.now();
const tab = await open(browser, process.argv[2], "#still", { viewport: { width: 1280, height: 720 } });
console.log(`first picture after ${((performance.now() - begin) / 1000).toFixed(2)} s`);
const played = await tab.evaluate(
  () =>
    new Promise((done) => {
      const { slipstick } = window;
      const [from, start] = [slipstick.pictures, performance.now()];
      slipstick.player.toggle();
      setTimeout(() => done(((slipstick.pictures - from) * 1000) / (performance.now() - start)), 6000);
    }),
);
const work = await tab.evaluate(() => {
  const [view] = window.slipstick.views;
  const start = performance.now();
  for (let k = 0; k < 20; k++) view.show(k / 10);
  return (performance.now() - start) / 20;
});
console.log(`${played.toFixed(1)} pictures per second; ${work.toFixed(1)} ms of computation for each`);
await browser.close();
