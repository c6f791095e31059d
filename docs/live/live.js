// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Draws what live.wasm computes: its pixels are the canvas. In node (node live.js [entities] [frames]) it counts, as the native program does, or
// measures (node live.js walks).
// The page has parameters for its test: ?seed=1&entities=50000&frames=300 stops there, limit=5 is what a frame may take, measure=1 measures.
const inNode = typeof document === "undefined";
const wanderPull = 20;

async function load() {
  const bytes = inNode
    ? await (await import("node:fs/promises")).readFile(process.env.LIVE_WASM ?? "live.wasm")
    : await (await fetch("live.wasm")).arrayBuffer();
  return (await WebAssembly.instantiate(bytes)).instance.exports; // it imports nothing
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

// Nanoseconds an element of each container, without holes and with: turns(row, column, ns of each turn) after each turn.
async function measure(module, turns, { slots = 100000, rounds = 15, least = 10, pause = () => {} } = {}) {
  for (const [column, holes] of [0, 50].entries()) {
    module.prepare(slots, holes);
    const elements = slots - (slots / 100) * holes, all = [[], [], []];
    const turn = (row) => { // as many walks as take long for a clock of milliseconds; one that stands still ends it, too
      const from = performance.now();
      let walks = 0, time = 0;
      while (time < least && walks < 16384) {
        for (let i = 0; i < 16; ++i) module.walk(row);
        walks += 16;
        time = performance.now() - from;
      }
      return (time * 1e6) / walks / elements;
    };
    for (let round = -2; round < rounds; ++round) { // two that do not count: the engine optimises meanwhile
      await pause();
      for (const row of all.keys()) { // each is first as often as the others
        const which = (row + round + 3) % all.length, ns = turn(which);
        if (round >= 0) all[which].push(ns);
      }
      if (round < 0) continue;
      all.forEach((each, row) => turns(row, column, each));
    }
  }
}

async function walks() {
  const medians = [[], [], []];
  await measure(await load(), (row, column, turns) => (medians[row][column] = median(turns).toFixed(3)));
  ["std::vector", "slotwise::SlotMap", "article slot map"].forEach((name, row) => console.log(`${name}: ${medians[row].join(" and ")} ns an element`));
}

async function count([entities = 50000, frames = 300]) {
  const world = await load();
  world.start(+entities, 1);
  const begin = performance.now();
  for (let i = 0; i < frames; ++i) world.wander(wanderPull);
  const time = performance.now() - begin;
  console.log(`${world.entities()} entities, ${world.frames()} frames, ${world.eaten()} eaten, ${world.stale()} stale handles found, ` +
    `${world.mistaken()} taken for another`);
  console.error(`${(time / frames).toFixed(3)} ms a step`);
}

async function show() {
  const find = (name) => document.getElementById(name), canvas = document.querySelector("canvas"), context = canvas.getContext("2d");
  const asked = new URLSearchParams(location.search), size = find("size"), shown = document.querySelector("output");
  const number = (name, otherwise) => (asked.has(name) ? +asked.get(name) : otherwise);
  const world = await load(), last = number("frames", Infinity), limit = number("limit", 15);
  size.value = number("entities", 50000);
  world.start(+size.value, number("seed", Date.now() >>> 0));
  find("state").hidden = true;
  find("world").hidden = false;

  const colours = () => ["fish", "successor", "hunter"].map((name) => { // 0xBBGGRR, as draw() has them
    const [red, green, blue] = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).match(/[0-9a-f]{2}/g);
    return parseInt(blue + green + red, 16);
  });
  let palette = colours();
  matchMedia("(prefers-color-scheme: dark)").onchange = () => ((palette = colours()), draw());

  let pointer = null; // the fish follow a point of their own
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    pointer = { x: ((event.clientX - box.left) * canvas.width) / box.width, y: ((event.clientY - box.top) * canvas.height) / box.height };
  };
  canvas.onpointermove = canvas.onpointerdown = place;
  canvas.onpointerleave = () => (pointer = null);
  canvas.onkeydown = (event) => {
    const ways = { ArrowLeft: [-30, 0], ArrowRight: [30, 0], ArrowUp: [0, -30], ArrowDown: [0, 30] }, way = ways[event.key];
    if (event.key === "Escape") pointer = null;
    if (!way) return;
    event.preventDefault();
    pointer ??= { x: canvas.width / 2, y: canvas.height / 2 };
    pointer.x = Math.min(Math.max(pointer.x + way[0], 0), canvas.width);
    pointer.y = Math.min(Math.max(pointer.y + way[1], 0), canvas.height);
  };

  const text = (name, value) => (find(name).textContent = value.toLocaleString("en"));
  let times = [], works = []; // of the last frames
  const tell = () => {
    for (const name of ["entities", "frames", "eaten", "stale", "mistaken"]) text(name, world[name]());
    const mean = times.reduce((sum, each) => sum + each, 0) / times.length; // of steps of a clock that may be coarse
    find("time").textContent = times.length ? mean.toFixed(2) : "–";
  };
  const resize = (count) => {
    world.resize((size.value = count));
    shown.textContent = (+size.value).toLocaleString("en");
    times = [];
    works = [];
  };
  size.oninput = () => {
    find("lowered").hidden = true;
    resize(+size.value);
    if (!running) draw();
  };
  const lower = (took) => {
    const from = +size.value, least = +size.min;
    if (from <= least) return;
    resize(Math.max(least, Math.floor((from * Math.min(limit / took, 1) * 0.9) / size.step) * size.step));
    find("lowered").textContent = `A frame took ${took.toFixed(0)} ms with ${from.toLocaleString("en")} entities, too long for a smooth picture: ` +
      `they were lowered to ${(+size.value).toLocaleString("en")}.`;
    find("lowered").hidden = false;
  };
  const draw = () => {
    const pixels = new Uint8ClampedArray(world.memory.buffer, world.draw(...palette), canvas.width * canvas.height * 4); // after draw: memory may have grown
    context.putImageData(new ImageData(pixels, canvas.width, canvas.height), 0, 0);
    tell();
  };

  let running = false, before = 0;
  const frame = (now) => {
    if (!running) return;
    const from = performance.now(), pull = find("flee").checked ? -10 * wanderPull : wanderPull;
    pointer ? world.step(pointer.x, pointer.y, pull) : world.wander(pull);
    times.push(performance.now() - from);
    draw();
    const between = now - before; // what the browser does with the picture is in it; a screen has 30 frames a second at least
    works.push(Math.max(performance.now() - from, between > 40 && between < 1000 ? between : 0));
    before = now;
    if (times.length > 60) times.shift();
    if (works.length === 30) {
      const took = median(works);
      works = [];
      if (took > limit) lower(took);
    }
    if (world.frames() >= last) return run(false);
    requestAnimationFrame(frame);
  };
  const run = (on) => {
    const starts = on && !running;
    running = on;
    find("run").textContent = on ? "Pause" : "Run";
    before = performance.now();
    if (starts) requestAnimationFrame(frame);
  };
  find("run").onclick = () => run(!running);

  const cells = [...document.querySelectorAll("tbody tr")].map((row) => row.querySelectorAll("td"));
  find("measure").onclick = async () => {
    const ran = running, medians = [[0, 0], [0, 0], [0, 0]];
    run(false);
    find("measure").disabled = find("run").disabled = true;
    find("progress").textContent = "measuring …";
    await measure(world, (row, column, turns) => {
      medians[row][column] = median(turns);
      const most = Math.max(...medians.flat());
      medians.forEach((each, i) => each.forEach((ns, j) => {
        if (ns === 0) return; // not measured yet
        cells[i][j].textContent = `${ns.toFixed(2)} ns`;
        cells[i][j].style.setProperty("--part", `${(100 * ns) / most}%`);
      }));
    }, { rounds: number("rounds", 15), pause: () => new Promise((resolve) => setTimeout(resolve)) });
    find("progress").textContent = "";
    find("measure").disabled = find("run").disabled = false;
    run(ran);
  };

  shown.textContent = (+size.value).toLocaleString("en");
  draw();
  run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  if (asked.has("measure")) find("measure").click();
}

if (inNode) {
  process.argv[2] === "walks" ? walks() : count(process.argv.slice(2));
} else if (typeof WebAssembly === "object") {
  show().catch((error) => (document.getElementById("state").textContent += ` (${error.message})`));
}
