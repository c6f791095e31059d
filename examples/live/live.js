// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Draws what live.wasm computes: its pixels are the canvas. In node (node live.js [entities] [steps]) it counts, as the native program does.
const inNode = typeof document === "undefined";

async function load() {
  const bytes = inNode
    ? await (await import("node:fs/promises")).readFile(process.env.LIVE_WASM ?? "live.wasm")
    : await (await fetch("live.wasm")).arrayBuffer();
  return (await WebAssembly.instantiate(bytes)).instance.exports; // it imports nothing
}

async function count([entities = 20000, steps = 600]) {
  const world = await load();
  world.start(+entities, 1);
  const begin = performance.now();
  for (let i = 0; i < steps; ++i) world.step(200 + (i % 500), 270, 20);
  const time = performance.now() - begin;
  console.log(`${world.entities()} entities, ${world.eaten()} eaten, ${world.stale()} stale handles found, ${world.mistaken()} taken for another`);
  console.error(`${(time / steps).toFixed(3)} ms a step`);
}

async function show() {
  const world = await load(), canvas = document.querySelector("canvas"), context = canvas.getContext("2d");
  const size = document.querySelector("input"), counters = document.querySelector("output");
  let mean = 0;
  const pointer = { x: canvas.width / 2, y: canvas.height / 2, pull: 20 };
  const begin = () => {
    world.start(+size.value, Date.now() >>> 0);
    mean = 0;
  };
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    pointer.x = ((event.clientX - box.left) * canvas.width) / box.width;
    pointer.y = ((event.clientY - box.top) * canvas.height) / box.height;
  };
  canvas.onpointermove = place;
  canvas.onpointerdown = (event) => (place(event), (pointer.pull = -200)); // pressed: away from it
  canvas.onpointerup = canvas.onpointerleave = () => (pointer.pull = 20);
  size.oninput = begin;
  const frame = () => {
    const from = performance.now();
    world.step(pointer.x, pointer.y, pointer.pull);
    const time = performance.now() - from;
    mean = mean === 0 ? time : mean + (time - mean) / 60;
    const pixels = new Uint8ClampedArray(world.memory.buffer, world.draw(), canvas.width * canvas.height * 4); // after draw: memory may have grown
    context.putImageData(new ImageData(pixels, canvas.width, canvas.height), 0, 0);
    counters.textContent = `${world.entities().toLocaleString("en")} entities, ${mean.toFixed(2)} ms a step; ` +
      `${world.eaten().toLocaleString("en")} fish eaten, ${world.stale().toLocaleString("en")} handles found stale, ` +
      `${world.mistaken()} taken for another fish`;
    requestAnimationFrame(frame);
  };
  begin();
  frame();
}

inNode ? count(process.argv.slice(2)) : show();
