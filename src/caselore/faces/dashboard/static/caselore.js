// Keys, lit citations and news. Every page works without this file.
const $ = (query, from = document) => from.querySelector(query);
const all = (query) => [...document.querySelectorAll(query)];

// A citation and what it cites light each other.
const lit = (id, on) =>
  all(`[data-of="${id}"], [data-cite="${id}"], [id="${id}"]`).forEach((one) => one.classList.toggle("lit", on));
const lights = (one, ids, ...kinds) => {
  const safe = ids.filter((id) => /^[\w.:-]+$/.test(id));
  for (const [event, on] of kinds) one.addEventListener(event, () => safe.forEach((id) => lit(id, on)));
};
const pointed = [["mouseenter", true], ["mouseleave", false]];
for (const one of all("[data-cite], [data-of]"))
  lights(one, [one.dataset.cite ?? one.dataset.of], ...pointed, ["focusin", true], ["focusout", false]);
// a sentence lights all that it rests on
for (const one of all(".document > p"))
  lights(one, [...one.querySelectorAll("[data-cite]")].map((cite) => cite.dataset.cite), ...pointed);

// j and k move a mark along the rows.
const rows = all("[data-row]");
let at = -1;
const move = (step) => {
  if (!rows.length) return;
  rows[at]?.classList.remove("at-hand");
  at = Math.min(rows.length - 1, Math.max(0, at + step));
  rows[at].classList.add("at-hand");
  $("a", rows[at])?.focus({ preventScroll: true });
  rows[at].scrollIntoView({ block: "nearest" });
};

// n and p go from one marked line of the log to the next, over the pages of a whole log.
const whole = $(".log.whole");
const marks = all(".log li.fails, .log li.cited");
let mark = -1;
const jump = (step) => {
  if (whole) {
    const steps = whole.dataset.steps.split(" ").map(Number).filter(Boolean);
    const from = Number(location.hash.slice(2)) || 0;
    const to = step > 0 ? steps.find((one) => one > from) : steps.findLast((one) => one < from);
    if (!to) return;
    const line = document.getElementById(`L${to}`);
    if (!line) return location.assign(`${whole.dataset.path}?line=${to}#L${to}`);
    const fold = line.closest("details");
    if (fold) fold.open = true;
    location.hash = line.id;
    return;
  }
  if (!marks.length) return;
  mark = (mark + step + marks.length) % marks.length;
  marks[mark].closest("details").open = true;
  location.hash = marks[mark].id;
};

// A line that is named in the address stands in an open fold.
const named = location.hash.startsWith("#L") && document.getElementById(location.hash.slice(1));
if (named && named.closest("details")?.open === false) {
  named.closest("details").open = true;
  named.scrollIntoView({ block: "center" });
}

const open = (id) => {
  const form = document.getElementById(id);
  if (!form) return;
  form.open = true;
  $("textarea, input:not([type=hidden])", form)?.focus();
};

const keys = {
  j: () => move(1),
  k: () => move(-1),
  "/": () => $("#q").select(),
  c: () => open("confirm"),
  x: () => open("refute"),
  n: () => jump(1),
  p: () => jump(-1),
  u: () => location.assign("/"),
  y: () => navigator.clipboard?.writeText(location.href),
  "?": () => {
    const help = $(".keys");
    help.open = !help.open;
    help.scrollIntoView({ block: "nearest" });
  },
};
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "Escape" && typing) return event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});

// News of what is written: a line to click, never a page that moves by itself.
const news = $(".news");
if (news && window.EventSource) {
  const subject = news.dataset.subject;
  const after = news.dataset.news;
  const source = new EventSource("/api/v1/events" + (after ? `?after=${after}` : ""));
  let count = 0;
  const hear = (event) => {
    if (subject && JSON.parse(event.data).subject !== subject) return;
    count += 1;
    const link = document.createElement("a");
    link.href = location.pathname + location.search;
    link.textContent = subject ? "Something was said of this incident. Show it" : `${count} new since this page was made. Show them`;
    news.replaceChildren(link);
    news.hidden = false;
  };
  for (const kind of subject ? ["confirm", "refute", "unlike", "propose", "release", "drop"] : ["observe", "confirm", "propose"])
    source.addEventListener(kind, hear);
  addEventListener("pagehide", () => source.close());
}
