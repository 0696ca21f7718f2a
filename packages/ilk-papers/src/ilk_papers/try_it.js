// The box of the page that computes: SimHash of two texts, as the recipe roth2013 or the lecture.
// Every number equals that of ilk; nothing is sent anywhere.
"use strict";

const POLYNOMIAL = 0xd74307d3fd3382dbn;
const RABIN = Array.from({ length: 256 }, (_, byte) => {
  let state = BigInt(byte);
  for (let bit = 0; bit < 8; bit++) state = (state >> 1n) ^ (state & 1n ? POLYNOMIAL : 0n);
  return state;
});
const BLANK =
  /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;

// Rabin's fingerprint of a run of four UTF-16 units.
function rabin(run) {
  let state = POLYNOMIAL;
  for (let at = 0; at < 4; at++) {
    const unit = run.charCodeAt(at);
    for (const byte of [unit >> 8, unit & 255]) {
      state = (state >> 8n) ^ RABIN[Number((state ^ BigInt(byte)) & 255n)];
    }
  }
  return state;
}

// The lecture's hash: the first MurmurHash, as Ruby 1.9 had it, from the seed of slide 31.
function ruby(bytes) {
  let value = (0x862be6e7 + 0xdeadbeef) >>> 0;
  const mix = (shift) => {
    value = Math.imul(value, 0x7fd652ad) >>> 0;
    value = (value ^ (value >>> shift)) >>> 0;
  };
  for (let at = 0; at < bytes.length; at += 4) {
    let word = 0;
    for (let byte = 0; byte < 4; byte++) word += (bytes[at + byte] || 0) * 2 ** (8 * byte);
    value = (value + word) >>> 0;
    mix(16);
  }
  mix(10);
  mix(17);
  // 31 bits with a sign: the 32nd bit is a copy of the 31st.
  const low = value & 0x7fffffff;
  return BigInt((low & 0x40000000 ? low | 0x80000000 : low) >>> 0);
}

const METHODS = {
  2013: {
    bits: 64,
    features: (text) => {
      if (BLANK.test(text)) return new Map();
      const runs = [];
      for (let at = 0; at + 4 <= text.length; at++) runs.push(text.slice(at, at + 4));
      return new Map([...new Set(runs)].map((run) => [run, rabin(run)]));
    },
  },
  lecture: {
    bits: 32,
    features: (text) => {
      const characters = [...text];
      const pairs = characters.slice(1).map((second, at) => characters[at] + second);
      const bytes = (pair) => new TextEncoder().encode(pair);
      return new Map([...new Set(pairs)].map((pair) => [pair, ruby(bytes(pair))]));
    },
  },
};

// V after some features, the highest bit first.
function votes(hashes, bits) {
  return Array.from({ length: bits }, (_, at) => {
    const bit = BigInt(bits - 1 - at);
    return hashes.reduce((sum, hash) => sum + ((hash >> bit) & 1n ? 1 : -1), 0);
  });
}

const signs = (sums) => sums.map((sum) => (sum > 0 ? "1" : "0")).join("");
const place = (name) => document.getElementById(name);
const visible = (text) => text.replace(/\s/g, "\u2423");

function cells(target, values, kinds) {
  target.replaceChildren(
    ...values.map((value, at) => {
      const cell = document.createElement("span");
      cell.textContent = value;
      cell.className = kinds[at];
      return cell;
    }),
  );
}

function compute() {
  const method = METHODS[place("try-method").value];
  const made = ["try-one", "try-other"].map((name) => method.features(place(name).value));
  const prints = made.map((of) =>
    of.size ? signs(votes([...of.values()], method.bits)) : null,
  );
  prints.forEach((bits, at) => {
    const hex = bits && BigInt(`0b${bits}`).toString(16).padStart(method.bits / 4, "0");
    place(`try-print-${at}`).textContent = hex || "none: the text is too short";
    const shown = [...(bits || "")];
    cells(
      place(`try-bits-${at}`),
      shown,
      shown.map((bit, of) => (prints[1 - at] && prints[1 - at][of] !== bit ? "other" : "same")),
    );
  });
  const both = prints[0] && prints[1];
  const apart = both ? [...prints[0]].filter((bit, at) => bit !== prints[1][at]).length : null;
  const shared = [...made[0].keys()].filter((feature) => made[1].has(feature)).length;
  const every = made[0].size + made[1].size - shared;
  place("try-distance").textContent = both ? `${apart} of ${method.bits} bits` : "";
  place("try-jaccard").textContent = every
    ? `${shared} of ${every} features: ${(shared / every).toFixed(3)}`
    : "";
  const step = place("try-step");
  step.max = made[0].size;
  step.value = made[0].size;
  fill();
}

// V of the first text after as many of its features as the slider says.
function fill() {
  const method = METHODS[place("try-method").value];
  const features = [...method.features(place("try-one").value)];
  const count = Number(place("try-step").value);
  const sums = votes(features.slice(0, count).map(([, hash]) => hash), method.bits);
  cells(
    place("try-votes"),
    sums.map((sum) => (sum > 0 ? `+${sum}` : String(sum))),
    sums.map((sum) => (sum > 0 ? "same" : "")),
  );
  const last = features[count - 1];
  const digits = method.bits / 4;
  place("try-feature").textContent = last
    ? `${count} of ${features.length}: ${visible(last[0])} ${last[1].toString(16).padStart(digits, "0")}`
    : `0 of ${features.length}`;
}

for (const name of ["try-one", "try-other", "try-method"]) {
  place(name).addEventListener("input", compute);
}
place("try-step").addEventListener("input", fill);
compute();
