// The table of cases: fill it, filter it, and keep the filter in the address, as #operator=…&group=…&clause=…&outcome=…&q=…
// The same names are read from ?…, so that other pages can link here.
(() => {
  "use strict";

  const STEP = 100;
  const root = document.querySelector(".cases");
  const form = root.querySelector("form");
  const fields = [...form.querySelectorAll("[data-filter]")];
  const status = root.querySelector("[role=status]");
  const body = root.querySelector("tbody");
  const more = root.querySelector(".cases-more");
  let cases = [];
  let found = [];

  const make = (name, values) => Object.assign(document.createElement(name), values);

  const cell = (row, parts) => {
    const one = row.insertCell();
    parts.forEach((part, i) => one.append(...(i ? [" ", part] : [part])));
  };

  const operatorOf = (id) => id.split("/")[0];

  const code = (text) => make("code", { textContent: text });

  const clause = (operator, name) => {
    const link = make("a", { href: `../../operators/${operator}/#${name}` });
    link.append(code(name));
    return link;
  };

  const show = (count) => {
    for (const [id, group, outcome, clauses, reason] of found.slice(body.rows.length, count)) {
      const row = body.insertRow();
      cell(row, [code(id)]);
      cell(row, [code(group)]);
      cell(row, [code(outcome)]);
      cell(row, clauses.map((name) => clause(operatorOf(id), name)));
      cell(row, [reason]);
    }
    more.hidden = body.rows.length >= found.length;
  };

  const filter = () => {
    const wanted = Object.fromEntries(fields.map((field) => [field.dataset.filter, field.value.trim()]));
    const words = wanted.q.toLowerCase().split(/\s+/);
    found = cases.filter(
      ([id, group, outcome, clauses, reason]) =>
        (!wanted.operator || operatorOf(id) === wanted.operator) &&
        (!wanted.group || group === wanted.group) &&
        (!wanted.outcome || outcome === wanted.outcome) &&
        (!wanted.clause || clauses.includes(wanted.clause)) &&
        words.every((word) => `${id} ${reason}`.toLowerCase().includes(word)),
    );
    body.replaceChildren();
    show(STEP);
    status.textContent = root.dataset.shown.replace("{found}", found.length).replace("{total}", cases.length);
  };

  const read = () => {
    const asked = new URLSearchParams(location.search);
    new URLSearchParams(location.hash.slice(1)).forEach((value, name) => asked.set(name, value));
    for (const field of fields) {
      field.value = asked.get(field.dataset.filter) ?? "";
      if (field.selectedIndex === -1) field.value = ""; // no such choice: an old link, say
    }
    filter();
  };

  const changed = () => {
    const asked = new URLSearchParams(fields.filter((field) => field.value).map((f) => [f.dataset.filter, f.value]));
    history.replaceState(null, "", location.pathname + (asked.size ? `#${asked}` : ""));
    filter();
  };

  const choices = (name, values) => {
    const field = fields.find((each) => each.dataset.filter === name);
    for (const value of new Set(values)) field.append(new Option(value, value));
  };

  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  more.addEventListener("click", () => show(body.rows.length + STEP));
  addEventListener("hashchange", () => {
    if (!document.getElementById(location.hash.slice(1))) read(); // going to a heading keeps the filter
  });

  fetch(new URL(root.dataset.source, location.href))
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(answer.statusText))))
    .then((all) => {
      cases = all;
      choices("operator", all.map((each) => operatorOf(each[0])));
      choices("group", all.map((each) => each[1]));
      choices("clause", all.flatMap((each) => each[3]));
      choices("outcome", all.map((each) => each[2]));
      read();
    })
    .catch(() => {
      status.textContent = root.dataset.failed;
    });
})();
