// Formulas: load KaTeX from this site, only on pages that have one. Tables: let the keyboard scroll those that do not fit.
// Languages: switching keeps the place in the page, and what the address asks of it.
(() => {
  "use strict";

  const formulas = document.querySelectorAll(".arithmatex");
  const folder = document.querySelector("meta[name=katex]");
  if (formulas.length && folder) {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = new URL("katex.min.css", new URL(folder.content, location.href));
    const script = document.createElement("script");
    script.src = new URL("katex.min.js", new URL(folder.content, location.href));
    script.onload = () => {
      for (const each of formulas) {
        // arithmatex writes \( … \) and \[ … \]
        const text = each.textContent.trim();
        window.katex.render(text.slice(2, -2), each, { displayMode: text.startsWith("\\["), throwOnError: false });
      }
    };
    document.head.append(style, script);
  }

  const reachable = () => {
    for (const each of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code, .picture, .arithmatex")) {
      if (each.scrollWidth > each.clientWidth) {
        each.tabIndex = 0;
      } else if (each.tabIndex === 0) {
        each.removeAttribute("tabindex");
      }
    }
  };
  addEventListener("load", reachable);
  addEventListener("resize", reachable);

  for (const link of document.querySelectorAll(".md-select__link[hreflang]")) {
    const there = new URL(link.href);
    link.addEventListener("click", () => {
      link.href = new URL(there.pathname + location.search + location.hash, there);
    });
  }
})();
