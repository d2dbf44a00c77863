// One file, page.html: scripts and styles are put into the page. Its policy lets the browser run this one script, known by its
// hash, and fetch nothing; so nothing that a scene says can be run. The meta element "source" says which sources it was built
// from: tools/check_viewer.py compares.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig } from "vite";

const SOURCES = ["index.html", "package-lock.json", "vite.config.js", "tsconfig.json"];

function hashOfSources() {
  const hash = createHash("sha256");
  for (const name of [...SOURCES, ...readdirSync("src").map((file) => `src/${file}`)].sort()) {
    hash.update(`${name}\n`).update(readFileSync(name));
  }
  return hash.digest("hex");
}

function onePage() {
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      const files = Object.values(bundle);
      const script = files.find((file) => file.type === "chunk").code.trim().replaceAll("</script", "<\\/script");
      const style = files.find((file) => file.fileName.endsWith(".css")).source;
      const policy = `default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`;
      const page = readFileSync("index.html", "utf8")
        .replace("<!-- head -->", () =>
          `<meta http-equiv="Content-Security-Policy" content="${policy}">\n` +
          `<meta name="source" content="${hashOfSources()}">\n<style>${style}</style>`)
        .replace(/<script type="module".*<\/script>/, () => `<script type="module">${script}</script>`);
      writeFileSync("page.html", page);
      for (const name of Object.keys(bundle)) delete bundle[name];
    },
  };
}

export default defineConfig({
  plugins: [onePage()],
  build: { target: "es2022", cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 2000, emptyOutDir: false },
  esbuild: { legalComments: "inline" },
});
