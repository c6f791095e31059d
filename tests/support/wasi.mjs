// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Runs a program of WebAssembly in a fresh machine, as the kernel runs one of this processor: node --no-warnings wasi.mjs PROGRAM ARGUMENTS.
// A folder among the arguments is given as its files. WASI has no processes: a program of tests/bare prints "case NAME|BEGIN|WORDS" for what
// it would ask of a child; the program is then run once more for each of these, and must stop with these words, or live if there are none.
import { closeSync, openSync, readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { WASI } from "node:wasi";

const [path, ...given] = process.argv.slice(2);
const program = new WebAssembly.Module(readFileSync(path));
const isFolder = (name) => name.startsWith("/") && statSync(name, { throwIfNoEntry: false })?.isDirectory();
const files = (folder) => readdirSync(folder).sort().map((name) => `${folder}/${name}`).filter((name) => !isFolder(name));

function run(args) {
  const log = `${path}.${process.pid}.log`, output = openSync(log, "w");
  const wasi = new WASI({ version: "preview1", args: [path, ...args], preopens: { ".": ".", "/": "/" }, stdout: output, stderr: output,
                          returnOnExit: true });
  let code = 1, trap = "";
  try {
    code = wasi.start(new WebAssembly.Instance(program, { wasi_snapshot_preview1: wasi.wasiImport }));
  } catch (error) { // a trap: abort() is one
    trap = error.stack;
  }
  closeSync(output);
  const text = readFileSync(log, "utf8");
  unlinkSync(log);
  return { code, text, trap };
}

const { code, text, trap } = run(given.flatMap((name) => (isFolder(name) ? files(name) : name)));
let failed = 0, cases = 0;
for (const [line, name, begin, words] of text.matchAll(/^case (\w+)\|(.*)\|(.*)$/gm)) {
  const child = run([name]);
  const right = words === "" ? child.code === 0 : child.code !== 0 && child.text.startsWith(begin) && child.text.includes(words);
  if (!right) console.log(`${line}: got code ${child.code}, ${child.text}${child.trap}`);
  ++cases;
  failed += !right;
}
process.stdout.write(text.replace(/^case .*\n/gm, "") + (cases ? `${cases} cases, ${failed} failed\n` : "") + trap);
process.exitCode = code || (failed ? 1 : 0);
