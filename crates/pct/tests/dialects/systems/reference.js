// Answers with the results of JavaScript and of the WHATWG interfaces in Node.js.
// One question per line on standard input, "OPERATION HEX"; one answer per line: HEX, "error", or "-" if the input
// cannot be represented as one JavaScript string.
"use strict";
const { unescapeBuffer } = require("querystring");

const dialect = process.argv[2];
class NoQuestion extends Error {}

function text(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NoQuestion();
  }
}

// The standard's parser takes bytes. Node's takes a string, and loses non-ASCII characters if a triplet is malformed or
// ill-formed. Escaped as triplets they are the same bytes, and are kept.
function value(bytes) {
  if (bytes.includes("&")) throw new NoQuestion();
  return bytes.toString("latin1").replace(/[\x80-\xFF]/g, (byte) => "%" + byte.charCodeAt(0).toString(16));
}

const lossy = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

const operations = {
  js: {
    decode: (bytes) => decodeURIComponent(text(bytes)),
    encode: (bytes) => encodeURIComponent(text(bytes)),
  },
  // "UTF-8 decode without BOM" of "percent-decode": unescapeBuffer is the latter, on one byte per code unit.
  whatwg: {
    decode: (bytes) => lossy(unescapeBuffer(bytes.toString("latin1"))),
    // Per the standard, the component percent-encode set gives the result of encodeURIComponent.
    encode: (bytes) => encodeURIComponent(text(bytes)),
  },
  form: {
    decode: (bytes) => new URLSearchParams("=" + value(bytes)).get(""),
    encode: (bytes) => new URLSearchParams([["", text(bytes)]]).toString().slice(1),
  },
};

function answer(line) {
  const [operation, hex] = line.split(" ");
  try {
    return Buffer.from(operations[dialect][operation](Buffer.from(hex, "hex")), "utf8").toString("hex");
  } catch (error) {
    if (error instanceof URIError) return "error";
    if (error instanceof NoQuestion) return "-";
    throw error;
  }
}

const questions = require("fs").readFileSync(0, "utf8").split("\n").slice(0, -1);
process.stdout.write(questions.map((line) => answer(line) + "\n").join(""));
