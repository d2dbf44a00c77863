// site.js - light and dark, the menu of small screens, and the search through all headings (index.js has them).
const root = document.documentElement;
const remembered = localStorage.getItem("slipstick-theme");
if (remembered) root.dataset.theme = remembered;

document.querySelector("button.theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("slipstick-theme", root.dataset.theme);
});
document.querySelector("button.menu").addEventListener("click", () => document.body.classList.toggle("menu"));

const MOST = 12; // results that are shown
const search = document.querySelector("input[type=search]");
const found = document.querySelector(".found");

// Headings that have all the words; those that begin with the first word come first.
function matches(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const fitting = headings.filter(([, heading, page]) => words.every((word) => `${heading} ${page}`.toLowerCase().includes(word)));
  const rank = ([, heading]) => (heading.toLowerCase().startsWith(words[0]) ? 0 : heading.toLowerCase().includes(words[0]) ? 1 : 2);
  return fitting.sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
}

search.addEventListener("input", () => {
  found.replaceChildren(
    ...matches(search.value).map(([address, heading, page]) => {
      const link = Object.assign(document.createElement("a"), { href: document.body.dataset.up + address, textContent: heading });
      if (heading !== page) link.append(Object.assign(document.createElement("small"), { textContent: page }));
      link.addEventListener("click", () => found.replaceChildren());
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click();
  if (event.key === "Escape") found.replaceChildren();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
