// The state of the study: a snapshot, then each change of the server. Every view reads it from here.

import { number } from "./dom.js";

/** The key of the entries of each list. */
const keys = {
  cases: "name",
  maps: "name",
  runs: "run",
  hosts: "node",
  warnings: "id",
  commands: "id",
  transients: "case",
  sweeps: "Name",
  marks: "run",
  measured: "name",
};

/** @type {{seq: number, time: string, study: string, state: string | null, progress: any, engine: any,
 *   control: boolean, units: any, past: number | null, trace: {begin?: number, end?: number} | null,
 *   chosen: Set<string>, choices: number, lists: Record<string, Map<any, any>>}} */
export const store = {
  seq: 0,
  time: "",
  study: "",
  state: null,
  progress: null,
  engine: null,
  control: false,
  units: null,
  past: null,
  trace: null, // of a page of a trace alone: its begin and end, s
  chosen: new Set(), // runs and processes that are marked in all views
  choices: 0, // how often that changed
  lists: Object.fromEntries(Object.keys(keys).map((name) => [name, new Map()])),
};

/** The unit in which people read a dimension: its name, conversion from SI, and a value as text. */
export function unitOf(dimension) {
  const { name = "", per = 1, zero = 0 } = store.units?.[dimension] ?? {};
  const of = (x) => x * per - zero;
  return { name, of, text: (x, digits) => (typeof x === "number" ? `${number(of(x), digits)} ${name}`.trim() : "") };
}

const inFile = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");

/** What a page in a file has of its runs: curves and profiles; null: a server has them. */
export const file = inFile("history");

/** How the page is connected: "new", "live", "lost", "refused" or "file", and since when. */
export const link = { how: "new", since: Date.now() };
let broken = new AbortController(); // of requests, when the connection is lost

const listeners = new Set();

/** Calls f after each change, with the names of the sections that changed. */
export function onChange(f) {
  listeners.add(f);
}

function tell(sections) {
  for (const f of listeners) f(sections);
}

function setLink(how) {
  if (link.how === how) return;
  if (link.how === "live") {
    broken.abort();
    broken = new AbortController();
  }
  link.how = how;
  link.since = Date.now();
  tell(new Set(["link"]));
}

/** Marks a run or a process in all views, or takes its mark away. */
export function choose(name) {
  if (name === undefined) return;
  if (!store.chosen.delete(name)) store.chosen.add(name);
  store.choices++;
  tell(new Set(["chosen"]));
}

/** Whether the page shows a trace that belongs to no study. */
export const alone = () => store.trace?.begin !== undefined;

let reconnect = () => {};
let asking = new AbortController(); // for the last past moment

/**
 * Shows the study as it was at a moment, in ms, or at an event from there: "next", "previous", or the next one of a
 * kind. null: as it is. Meanwhile the changes that the server sends are read and dropped: at the return it sends all.
 */
export async function show(moment, to = "") {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const past = (at) => {
    store.past = at;
    tell(new Set());
  };
  if (moment === null) {
    if (store.past === null) return;
    if (alone()) return past(null);
    store.past = null;
    store.seq = 0; // the server sends all
    return reconnect("returned");
  }
  if (alone() && !to) return past(moment);
  const at = alone() ? moment / 1000 : new Date(moment).toISOString();
  const update = await ask(`/api/${alone() ? "trace" : "snapshot"}?at=${at}&to=${to}`, undefined, signal).catch(
    (error) => {
      if (!signal.aborted) throw error;
    },
  );
  if (!update || signal.aborted) return;
  if (alone()) return past(update.time * 1000);
  store.past = Date.parse(update.moment);
  store.control = false;
  take(update);
}

/** The values that were measured of a component, or of a run of it. */
export const measured = (component, run) =>
  [...store.lists.measured.values()].flatMap((m) =>
    m.rows
      .filter((row) => (row.component ?? component) === component && (!run || (row.run ?? run) === run))
      .map((row) => ({ file: m.name, ...row.values })),
  );

/** Drops the first ones of too many warnings of a severity, or commands, as the server does. */
function trim(list) {
  const most = 1000;
  if (list.size <= most) return;
  const numbers = new Map();
  for (const [id, { severity }] of [...list].reverse()) {
    const n = (numbers.get(severity) ?? 0) + 1;
    numbers.set(severity, n);
    if (n > most) list.delete(id);
  }
}

/** Takes a snapshot, or changes, into the store. A snapshot of the past has no measured values: they stay. */
function take(update) {
  const changed = new Set();
  if (update.since === 0)
    for (const [name, list] of Object.entries(store.lists)) if (name !== "measured" || !update.moment) list.clear();
  for (const [section, value] of Object.entries(update)) {
    if (keys[section]) {
      for (const entry of value) store.lists[section].set(entry[keys[section]], entry);
      if (section === "warnings" || section === "commands") trim(store.lists[section]);
      if (value.length) changed.add(section);
    } else {
      if (!["seq", "since", "time", "study"].includes(section)) changed.add(section);
      store[section] = value;
    }
  }
  if (changed.size) tell(changed); // otherwise the message is a sign of life alone
}

const token = /^#[\w-]{22}$/;

/** Exchanges the token of the link for a cookie, and takes the token out of the address. */
async function open() {
  if (!token.test(location.hash)) return;
  const headers = { Authorization: "Bearer " + location.hash.slice(1) };
  const request = { method: "POST", headers, signal: AbortSignal.timeout(10_000) };
  const answer = await fetch("/api/session", request).catch(() => null);
  if (answer?.ok) history.replaceState(null, "", location.pathname + "#runs");
}

/** A new link in this tab is that of another server. */
addEventListener("hashchange", () => token.test(location.hash) && location.reload());

const quiet = 5_000; // ms without a message, which the server sends every 2 s, after which it counts as lost
const limits = { connecting: 5_000, first: 45_000, next: 15_000 }; // ms without a message, then the connection ends

/** Follows the server over one connection, until it breaks or says nothing for too long. */
function connect() {
  return new Promise((done) => {
    const scheme = location.protocol === "https:" ? "wss://" : "ws://";
    const socket = new WebSocket(scheme + location.host + "/api/live?since=" + store.seq);
    let heard = Date.now();
    let waits = "connecting";
    const end = (why) => {
      clearInterval(watch);
      removeEventListener("offline", end);
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
      done(why);
    };
    const watch = setInterval(() => {
      const silent = Date.now() - heard;
      if (silent > quiet && link.how === "live") setLink("lost");
      if (silent > limits[waits]) end();
    }, 500);
    reconnect = end;
    addEventListener("offline", end);
    socket.onopen = () => (waits = "first");
    socket.onmessage = (message) => {
      heard = Date.now();
      waits = "next";
      setLink("live");
      if (store.past === null) take(JSON.parse(message.data)); // else all comes again
    };
    socket.onclose = end;
  });
}

/** Follows the server; after a break it continues from the last sequence number. */
export async function follow() {
  if (file) {
    take(inFile("snapshot"));
    return setLink("file");
  }
  await open();
  take(await ask("/api/snapshot", undefined, AbortSignal.timeout(10_000)).catch(() => ({})));
  for (let pause = 250; ; pause = Math.min(2 * pause, 2000)) {
    const began = Date.now();
    if ((await connect()) === "returned") continue;
    if (link.how !== "refused") setLink("lost");
    const signal = AbortSignal.timeout(quiet);
    const answer = await fetch("/api/history?run=", { signal }).catch(() => null);
    setLink(answer?.status === 401 ? "refused" : "lost");
    if (Date.now() - began > 5_000) pause = 250;
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** The curves of a run. */
export async function curvesOf(run) {
  if (file) return file[run]?.curves ?? {};
  const curves = await ask("/api/history?run=" + encodeURIComponent(run));
  const last = store.past !== null ? (store.lists.runs.get(run)?.iteration ?? 0) : Infinity;
  for (const c of Object.values(curves)) c.x.length = c.y.length = c.x.filter((x) => x <= last).length;
  return curves;
}

/** The server's picture at an address, an svg element; the error has the server's own words. */
export async function picture(address) {
  const answer = await fetch(address);
  const text = await answer.text();
  if (!answer.ok) throw new Error(JSON.parse(text).error);
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

/**
 * Asks the server for JSON, with a body for an act; the error has the server's own words. Without a server nothing is
 * sent, and when it is lost no request waits for it any longer.
 */
export async function ask(path, body, signal) {
  if (body !== undefined && link.how !== "live") throw new Error("the server does not answer: nothing was sent");
  const request = { signal: AbortSignal.any([broken.signal, signal].filter(Boolean)) };
  if (body !== undefined) {
    const headers = { "Content-Type": "application/json" };
    Object.assign(request, { method: "POST", headers, body: JSON.stringify(body) });
  }
  const reply = async () => {
    const answer = await fetch(path, request);
    return [answer, await answer.text()];
  };
  const [answer, text] = await reply().catch((error) => {
    if (signal?.aborted) throw error;
    throw new Error("the server does not answer" + (body === undefined ? "" : ": whether it was done is not known"));
  });
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    /* not JSON: the text says it */
  }
  if (!answer.ok) throw Object.assign(new Error(value?.error ?? text), { status: answer.status });
  return value;
}
