// What the page does beyond plain HTML: changes without reloading, zoom, rows that light up, uploads, live news.
"use strict";

const main = () => document.getElementById("main");
const notice = document.getElementById("notice");
const views = new Map(); // photo -> its viewBox, so that a change does not move the picture

let noticeTimer = 0;
function say(words) {
  clearTimeout(noticeTimer);
  notice.textContent = words;
  noticeTimer = setTimeout(() => (notice.textContent = ""), 6000);
}

// ---------------------------------------------------------------- pages without reloading

function scores() {
  return [...document.querySelectorAll("[data-score]")].map((part) => part.dataset.score);
}

function show(html, url, { push = false, quiet = false } = {}) {
  const next = new DOMParser().parseFromString(html, "text/html");
  const fresh = next.getElementById("main");
  const sorry = next.querySelector("[data-sorry]");
  if (!fresh) return location.assign(url);
  if (sorry && next.title === "Sorry") return say(sorry.textContent);
  const before = scores(), samePage = fresh.dataset.path === main().dataset.path;
  const opened = [...main().querySelectorAll("details")].map((d) => d.open);
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.cell : "";
  keepView();
  main().replaceWith(document.adoptNode(fresh));
  document.title = next.title;
  document.querySelector(".home").replaceWith(document.adoptNode(next.querySelector(".home")));
  if (samePage) main().querySelectorAll("details").forEach((d, i) => !d.closest("#fix") && (d.open = opened[i] || false));
  if (url && push) history.pushState(null, "", url);
  else if (url) history.replaceState(null, "", url);
  start();
  const after = scores();
  if (samePage && before.join() !== after.join() && before.length === after.length) {
    const i = after.findIndex((score, n) => score !== before[n]);
    say(`Total ${after[i]}, it was ${before[i]}.`);
  }
  if (!samePage) { scrollTo(0, 0); main().focus({ preventScroll: true }); }
  const title = document.getElementById("fix-title");
  if (title && !quiet) title.focus({ preventScroll: innerWidth < 900 });
  else if (focused) { const again = main().querySelector(`[data-cell="${CSS.escape(focused)}"]`); if (again) again.focus({ preventScroll: true }); }
}

async function load(url, how = {}) {
  try {
    const answer = await fetch(url, { headers: { "x-part": "main" } });
    show(await answer.text(), answer.url, how);
  } catch { say("The page's machine does not answer. Is it still on?"); }
}

async function send(form, button) {
  const data = new FormData(form, button);
  const action = (button && button.getAttribute("formaction")) || form.action;
  main().classList.add("working");
  try {
    const answer = await fetch(action, { method: "POST", body: data });
    show(await answer.text(), answer.redirected ? answer.url : "", {});
  } catch { say("That did not arrive. Is the page's machine still on?"); }
  main().classList.remove("working");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.id === "upload" || form.method.toLowerCase() !== "post") return;
  event.preventDefault();
  send(form, event.submitter);
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form && form.id === "upload") { if (event.target.type === "file") upload(form, event.target); return; }
  if (form && form.hasAttribute("data-auto") && event.target.name !== "new") send(form, null);
});

addEventListener("popstate", () => load(location.href));

// ---------------------------------------------------------------- uploads

let uploading = 0;

function wait(seconds) { return new Promise((done) => setTimeout(done, 1000 * seconds)); }

async function upload(form, input) {
  const files = [...input.files], list = document.getElementById("progress");
  list.textContent = "";
  const rows = files.map((file) => { const row = document.createElement("li"); row.textContent = `${file.name}: waiting`; list.append(row); return row; });
  let last = null, good = 0;
  uploading++;
  for (const [i, file] of files.entries()) {
    const data = new FormData(form);
    data.delete("photos");
    data.append("photos", file);
    rows[i].textContent = `${file.name}: being read …`;
    for (let attempt = 0; ; attempt++) {
      let answer;
      try { answer = await fetch(form.action, { method: "POST", body: data }); }
      catch { if (attempt < 3) { await wait(1); continue; } rows[i].textContent = `${file.name}: did not arrive. Is the page's machine still on?`; rows[i].className = "bad"; break; }
      if ((answer.status === 503 || answer.status === 429) && attempt < 30) {
        rows[i].textContent = `${file.name}: waiting for its turn …`;
        await wait(Number(answer.headers.get("retry-after") || 2) * (0.75 + Math.random() / 2));
        continue;
      }
      const html = await answer.text();
      if (answer.ok) { last = [html, answer.url]; good++; rows[i].textContent = `${file.name}: read`; }
      else {
        const sorry = new DOMParser().parseFromString(html, "text/html").querySelector("[data-sorry]");
        rows[i].textContent = sorry ? sorry.textContent : html;
        rows[i].className = "bad";
      }
      break;
    }
  }
  uploading--;
  input.value = "";
  if (files.length === 1 && last) show(last[0], last[1], { push: true });
  else if (good) { const kept = list.cloneNode(true); await load("/"); const now = document.getElementById("progress"); if (now) now.replaceWith(kept); }
}

// ---------------------------------------------------------------- rows that light up

function light(keys, scroll) {
  const wanted = new Set(keys.filter(Boolean));
  const same = wanted.size && main().dataset.lit === [...wanted].join(" ");
  main().dataset.lit = same ? "" : [...wanted].join(" ");
  if (same) wanted.clear();
  const board = document.getElementById("board");
  if (board) board.classList.toggle("has-lit", wanted.size > 0);
  for (const item of document.querySelectorAll("[data-lines]")) {
    const lit = item.dataset.lines.split(" ").some((key) => wanted.has(key));
    item.classList.toggle("lit", lit);
    const button = item.matches(".badge") ? item : item.querySelector(".light");
    if (button) button.setAttribute("aria-pressed", String(lit));
  }
  if (scroll && wanted.size) {
    const row = document.getElementById([...wanted][0]);
    if (row) row.scrollIntoView({ block: "center", behavior: "smooth" });
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (link && dragged) { event.preventDefault(); return; }
  if (link && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    const lines = link.dataset.lines;
    load(link.getAttribute("href")).then(() => lines && light(lines.split(" "), false));
    return;
  }
  const badge = event.target.closest(".badge");
  if (badge) return light([badge.dataset.line], true);
  const row = event.target.closest("tr[data-lines]");
  if (row) {
    light(row.dataset.lines.split(" "), false);
    const board = document.getElementById("board");
    if (board && main().dataset.lit && innerWidth < 900) board.scrollIntoView({ block: "start", behavior: "smooth" });
    return;
  }
  const zoom = event.target.closest("[data-zoom]");
  if (zoom) return zoomBy({ in: 1 / 1.5, out: 1.5, fit: 0 }[zoom.dataset.zoom]);
  const labels = event.target.closest("[data-labels]");
  if (labels) {
    const shown = labels.getAttribute("aria-pressed") !== "true";
    labels.setAttribute("aria-pressed", String(shown));
    document.getElementById("board").classList.toggle("no-labels", !shown);
    return;
  }
  if (event.target.closest("[data-print]")) print();
});

document.addEventListener("keydown", (event) => {
  const badge = event.target.closest && event.target.closest(".badge");
  if (badge && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); light([badge.dataset.line], true); }
  const close = document.querySelector("#fix .close");
  if (event.key === "Escape" && close) {
    const open = document.querySelector(".space.open");
    const cell = open ? open.dataset.cell : "";
    load(close.href).then(() => { const again = document.querySelector(`[data-cell="${CSS.escape(cell)}"]`); if (again) again.focus(); });
  }
  if (event.target.closest && event.target.closest("#board") && event.key.startsWith("Arrow")) { event.preventDefault(); step(event.target, event.key); }
});

function step(from, key) {
  const here = from.getBoundingClientRect(), x = here.x + here.width / 2, y = here.y + here.height / 2;
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = null, least = Infinity;
  for (const space of document.querySelectorAll("#board .space")) {
    const box = space.getBoundingClientRect(), ox = box.x + box.width / 2 - x, oy = box.y + box.height / 2 - y;
    const along = ox * dx + oy * dy, beside = Math.abs(ox * dy - oy * dx);
    if (along > 4 && along + 2 * beside < least) { least = along + 2 * beside; best = space; }
  }
  if (best) best.focus({ preventScroll: true });
}

// ---------------------------------------------------------------- zoom

const box = (board) => board.getAttribute("viewBox").split(" ").map(Number);

function setBox(board, [x, y, w, h]) {
  const fit = board.dataset.view.split(" ").map(Number);
  const most = 2.5 * Math.max(fit[2], fit[3]);
  const scale = Math.min(1, most / Math.max(w, h));
  board.setAttribute("viewBox", [x, y, w * scale, h * scale].map((v) => v.toFixed(1)).join(" "));
  board.classList.toggle("zoomed", w < fit[2] * 0.97);
}

function keepView() {
  const board = document.getElementById("board");
  if (board) views.set(board.dataset.photo, [board.getAttribute("viewBox"), board.classList.contains("no-labels")]);
}

function zoomBy(factor, at) {
  const board = document.getElementById("board");
  if (!factor) return setBox(board, board.dataset.view.split(" ").map(Number));
  const [x, y, w, h] = box(board);
  const [px, py] = at || [x + w / 2, y + h / 2];
  setBox(board, [px - (px - x) * factor, py - (py - y) * factor, w * factor, h * factor]);
}

function place(board, event) {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(board.getScreenCTM().inverse());
  return [at.x, at.y];
}

const fingers = new Map();
let dragged = false;

function start() {
  const board = document.getElementById("board");
  listen();
  if (!board) return;
  const kept = views.get(board.dataset.photo);
  if (kept) {
    setBox(board, kept[0].split(" ").map(Number));
    board.classList.toggle("no-labels", kept[1]);
    document.querySelector("[data-labels]").setAttribute("aria-pressed", String(!kept[1]));
  }
  board.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !board.classList.contains("zoomed") && event.deltaY > 0) return;
    event.preventDefault();
    zoomBy(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 300), place(board, event));
  }, { passive: false });
  board.addEventListener("pointerdown", (event) => { fingers.set(event.pointerId, event); dragged = false; });
  board.addEventListener("pointermove", (event) => {
    const was = fingers.get(event.pointerId);
    if (!was) return;
    const [ax, ay] = place(board, was), [bx, by] = place(board, event);
    if (fingers.size === 2) {
      const other = [...fingers.values()].find((f) => f.pointerId !== event.pointerId);
      const [ox, oy] = place(board, other);
      const before = Math.hypot(ax - ox, ay - oy), now = Math.hypot(bx - ox, by - oy);
      if (now > 0) zoomBy(before / now, [(bx + ox) / 2, (by + oy) / 2]);
      dragged = true;
    } else if (board.classList.contains("zoomed") && Math.hypot(event.clientX - was.clientX, event.clientY - was.clientY) > (dragged ? 0 : 6)) {
      const [x, y, w, h] = box(board);
      setBox(board, [x + ax - bx, y + ay - by, w, h]);
      dragged = true;
    } else return;
    fingers.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) board.addEventListener(name, (event) => {
    fingers.delete(event.pointerId);
    if (dragged) setTimeout(() => (dragged = false), 50);
  });
  board.addEventListener("touchmove", (event) => { if (event.touches.length > 1) event.preventDefault(); }, { passive: false });
}

// ---------------------------------------------------------------- live news

let news = null;

function busy() {
  const at = document.activeElement;
  return at && at.matches && at.matches("input:not([type=checkbox]):not([type=file]), select, textarea") && at.value !== at.defaultValue;
}

function listen() {
  if (news) return;
  news = new EventSource("/events");
  news.onmessage = (event) => {
    if (event.data && main().dataset.state && event.data !== main().dataset.state && !main().classList.contains("working") && !busy() && !uploading) load(location.href, { quiet: true });
  };
}
addEventListener("pagehide", () => { if (news) { news.close(); news = null; } });
addEventListener("pageshow", (event) => { if (event.persisted) { listen(); load(location.href, { quiet: true }); } });

start();
