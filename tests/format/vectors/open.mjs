// Opens the test vectors of docs/format.md: an implementation of its own, on nothing but Node's standard library.
//
//     node tests/format/vectors/open.mjs [DIRECTORY]
//
// Reads every vector file that the directory has (by default the one of this program). What is valid has to open, with
// every intermediate value that its vector gives, and to be made again byte for byte from its parts; what is invalid
// has to be refused. Prints a summary as JSON, and exits with 1 if there is anything else, or no vector at all.

import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";

const HEADER = 8;
const SALT = 24;
const COMMITMENT = 32;
const CHUNK = 16384;
const TAG = 16;
const MAX_GENERATION = 2 ** 32 - 1;
const MAX_SEGMENTS = 20;
const RING_FORMAT = "s3memory/keyring/1";
const NAME_KEY = { plain: 0, encrypted: 64 };

/** What is read does not open. `at` says at which step a key ring was refused. */
class Refused extends Error {
  constructor(at) {
    super(`refused: ${at}`);
    this.at = at;
  }
}

function demand(condition, at) {
  if (!condition) throw new Refused(at);
}

function strictText(utf8, at) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(utf8);
  } catch {
    throw new Refused(at);
  }
}

// --- Context: each field behind its length -----------------------------------------------------------------------

function encodeContext(...fields) {
  return Buffer.concat(fields.flatMap((field) => [uint32(Buffer.byteLength(field)), Buffer.from(field)]));
}

function uint32(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

// --- Cobblestone-256 (https://c2sp.org/chunked-encryption) -------------------------------------------------------

/** HKDF-Expand (RFC 5869) with SHA-512. */
function hkdfExpand(key, info, length) {
  const blocks = [];
  let block = Buffer.alloc(0);
  for (let counter = 1; blocks.length * 64 < length; counter++) {
    block = createHmac("sha512", key).update(block).update(info).update(Buffer.from([counter])).digest();
    blocks.push(block);
  }
  return Buffer.concat(blocks).subarray(0, length);
}

function derive(inputKey, salt, context) {
  const info = Buffer.concat([Buffer.from("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0"), salt, context]);
  const derived = hkdfExpand(inputKey, info, 32 + 12 + COMMITMENT);
  return { info, key: derived.subarray(0, 32), base_nonce: derived.subarray(32, 44), commitment: derived.subarray(44) };
}

/** The chunk's number goes into the last bytes of the nonce. Four of them are enough for objects of up to 64 MiB. */
function chunkNonce(baseNonce, number) {
  const nonce = Buffer.from(baseNonce);
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8);
  return nonce;
}

function openMessage(inputKey, context, message) {
  demand(inputKey.length === 32, "key");
  demand(message.length >= SALT + COMMITMENT + TAG, "message");
  const { key, base_nonce, commitment } = derive(inputKey, message.subarray(0, SALT), context);
  demand(timingSafeEqual(commitment, message.subarray(SALT, SALT + COMMITMENT)), "message");
  const chunks = message.subarray(SALT + COMMITMENT);
  const opened = [];
  for (let number = 0; ; number++) {
    const chunk = chunks.subarray(number * (CHUNK + TAG), (number + 1) * (CHUNK + TAG));
    demand(chunk.length >= TAG, "message"); // also where a full chunk was the last one
    opened.push(openChunk(key, chunkNonce(base_nonce, number), chunk));
    if (chunk.length < CHUNK + TAG) return Buffer.concat(opened);
  }
}

function openChunk(key, nonce, chunk) {
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG });
  decipher.setAuthTag(chunk.subarray(chunk.length - TAG));
  const plaintext = decipher.update(chunk.subarray(0, chunk.length - TAG));
  try {
    decipher.final();
  } catch {
    throw new Refused("message");
  }
  return plaintext;
}

/** For these checks alone: a writer draws the salt at random. */
function sealMessage(inputKey, salt, context, plaintext) {
  const { key, base_nonce, commitment } = derive(inputKey, salt, context);
  const parts = [salt, commitment];
  for (let number = 0; number <= Math.floor(plaintext.length / CHUNK); number++) {
    const cipher = createCipheriv("aes-256-gcm", key, chunkNonce(base_nonce, number), { authTagLength: TAG });
    const chunk = plaintext.subarray(number * CHUNK, (number + 1) * CHUNK);
    parts.push(cipher.update(chunk), cipher.final(), cipher.getAuthTag());
  }
  return Buffer.concat(parts);
}

// --- The S3M1 envelope -------------------------------------------------------------------------------------------

function sealedSize(plaintextBytes) {
  return HEADER + SALT + COMMITMENT + plaintextBytes + TAG * (Math.floor(plaintextBytes / CHUNK) + 1);
}

function plaintextSize(sealedBytes) {
  const chunked = sealedBytes - HEADER - SALT - COMMITMENT;
  demand(chunked >= TAG, "size");
  const size = chunked - TAG * (Math.floor(chunked / (CHUNK + TAG)) + 1);
  demand(sealedSize(size) === sealedBytes, "size");
  return size;
}

function placeContext(header, place) {
  return encodeContext(place.purpose, header, place.tenant, place.name);
}

function openSealed(dataKey, generation, place, sealed) {
  plaintextSize(sealed.length);
  demand(sealed.subarray(0, 4).equals(Buffer.from("S3M1")), "magic");
  demand(generation >= 1 && sealed.readUInt32BE(4) === generation, "generation");
  return openMessage(dataKey, placeContext(sealed.subarray(0, HEADER), place), sealed.subarray(HEADER));
}

/** The part of an intent's object key that only holders of the data key can tell from random. */
function intentInfo(tenant, { operation, path, new_path: newPath }) {
  return encodeContext("s3memory/v1/id", "s3memory/v1/intent", tenant, operation, path, newPath);
}

/** What an intent says, if it is one that this program could carry out. Further fields mean nothing. */
function parseIntent(plaintext) {
  const at = "plaintext";
  const text = strictText(plaintext, at);
  let intent;
  try {
    intent = JSON.parse(text);
  } catch {
    throw new Refused(at);
  }
  demand(intent !== null && typeof intent === "object", at);
  demand(["rename", "delete"].includes(intent.operation), at);
  demand([intent.path, intent.new_path].every(isCanonicalPath), at);
  demand(Array.isArray(intent.etags) && intent.etags.every((etag) => typeof etag === "string"), at);
  return intent;
}

function header(generation) {
  return Buffer.concat([Buffer.from("S3M1"), uint32(generation)]);
}

// --- AES-256-SIV (RFC 5297) --------------------------------------------------------------------------------------

function aesBlock(key, block) {
  const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
}

function xor(left, right) {
  return Buffer.from(left.map((byte, at) => byte ^ right[at]));
}

/** Doubling in GF(2^128). */
function doubled(block) {
  const result = Buffer.from(block.map((byte, at) => (byte << 1) | ((block[at + 1] ?? 0) >> 7)));
  if (block[0] & 0x80) result[15] ^= 0x87;
  return result;
}

/** A block that is not full: a one bit and zeros behind it. */
function padded(bytes) {
  return Buffer.concat([bytes, Buffer.from([0x80]), Buffer.alloc(15 - bytes.length)]);
}

/** AES-CMAC (RFC 4493). */
function cmac(key, message) {
  const subkey = doubled(aesBlock(key, Buffer.alloc(16)));
  const lastAt = Math.max(0, Math.ceil(message.length / 16) - 1) * 16;
  const rest = message.subarray(lastAt);
  const last = rest.length === 16 ? xor(rest, subkey) : xor(padded(rest), doubled(subkey));
  let state = Buffer.alloc(16);
  for (let at = 0; at < lastAt; at += 16) state = aesBlock(key, xor(state, message.subarray(at, at + 16)));
  return aesBlock(key, xor(state, last));
}

function syntheticIv(key, associated, plaintext) {
  const macKey = key.subarray(0, 32);
  let state = cmac(macKey, Buffer.alloc(16));
  for (const one of associated) state = xor(doubled(state), cmac(macKey, one));
  if (plaintext.length < 16) return cmac(macKey, xor(doubled(state), padded(plaintext)));
  const end = plaintext.length - 16;
  return cmac(macKey, Buffer.concat([plaintext.subarray(0, end), xor(plaintext.subarray(end), state)]));
}

/** AES-CTR: its own inverse. The counter is the synthetic IV with two bits cleared. */
function sivCtr(key, siv, data) {
  const counter = Buffer.from(siv);
  counter[8] &= 0x7f;
  counter[12] &= 0x7f;
  return createCipheriv("aes-256-ctr", key.subarray(32), counter).update(data);
}

function openSiv(key, associated, sealed) {
  demand(sealed.length >= 16, "name");
  const siv = sealed.subarray(0, 16);
  const plaintext = sivCtr(key, siv, sealed.subarray(16));
  demand(timingSafeEqual(siv, syntheticIv(key, associated, plaintext)), "name");
  return plaintext;
}

// --- Names -------------------------------------------------------------------------------------------------------

const REFUSED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\\]/u;

function nameContext(tenant, parent) {
  return ["s3memory/v1/name", tenant, parent].map((text) => Buffer.from(text));
}

function segmentsOf(path) {
  return path.split("/").slice(2); // "/memories/a" splits into "", "memories" and "a"
}

function decodePlain(parent, encoded) {
  const path = `${parent}/${encoded}`;
  demand(segmentsOf(path).length <= MAX_SEGMENTS && encoded.split("/").every(isCanonical), "name");
  return path;
}

function isCanonicalPath(path) {
  if (typeof path !== "string" || !`${path}/`.startsWith("/memories/")) return false;
  const segments = segmentsOf(path);
  return segments.length <= MAX_SEGMENTS && segments.every(isCanonical);
}

function isCanonical(segment) {
  if (["", ".", ".."].includes(segment) || segment !== segment.normalize("NFC") || REFUSED.test(segment)) return false;
  let decoded = segment;
  for (let round = 0; round < 8; round++) {
    const further = percentDecoded(decoded);
    if (further === decoded) {
      const isSyntax = REFUSED.test(decoded) || decoded.includes("/") || [".", ".."].includes(decoded);
      return decoded === segment || !isSyntax;
    }
    decoded = further;
  }
  return false; // encoded too often
}

function percentDecoded(text) {
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true }); // with U+FFFD where it is no UTF-8
  return text.replace(/(%[0-9a-f]{2})+/gi, (run) => utf8.decode(Buffer.from(run.replaceAll("%", ""), "hex")));
}

function decodeEncrypted(nameKey, tenant, parent, encoded) {
  let path = parent;
  for (const part of encoded.split("/")) {
    const sealed = Buffer.from(part, "base64url");
    demand(sealed.toString("base64url") === part, "name"); // Buffer reads more than one text for the same bytes
    path += `/${strictText(openSiv(nameKey, nameContext(tenant, path), sealed), "name")}`;
  }
  return path;
}

// --- Key rings ---------------------------------------------------------------------------------------------------

/** Canonical JSON: names sorted, no white space, ASCII. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const names = Object.keys(value).sort();
    return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`).join(",")}}`;
  }
  return JSON.stringify(value).replace(
    /[^\0-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function parseRing(document, tenant) {
  let ring;
  try {
    ring = JSON.parse(strictText(document, "document"));
  } catch {
    throw new Refused("document");
  }
  const names = ["format", "keys", "name_mode", "seal", "tenant", "wrapper"];
  if (ring !== null && typeof ring === "object" && ring.archived === true) names.unshift("archived");
  demand(hasExactly(ring, names) && ring.format === RING_FORMAT && ring.tenant === tenant, "document");
  demand(Object.hasOwn(NAME_KEY, ring.name_mode) && typeof ring.wrapper === "string", "document");
  demand(Array.isArray(ring.keys) && ring.keys.length > 0, "document");
  ring.keys.forEach((key, at) => {
    demand(hasExactly(key, ["generation", "wrapped"]) && isBase64(key.wrapped), "document");
    demand(Number.isInteger(key.generation) && key.generation <= MAX_GENERATION, "document");
    demand(key.generation > (at === 0 ? 0 : ring.keys[at - 1].generation), "document");
  });
  demand(isBase64(ring.seal) && Buffer.from(canonical(ring)).equals(document), "document");
  return ring;
}

function hasExactly(value, names) {
  return value !== null && typeof value === "object" && Object.keys(value).sort().join() === names.join();
}

function isBase64(text) {
  return typeof text === "string" && Buffer.from(text, "base64").toString("base64") === text;
}

function wrapContext(ring, generation) {
  return {
    "s3memory:generation": String(generation),
    "s3memory:name-mode": ring.name_mode,
    "s3memory:purpose": "data-key",
    "s3memory:tenant": ring.tenant,
  };
}

function localContext(context) {
  const pairs = Object.entries(context).sort(([left], [right]) => (left < right ? -1 : 1));
  return encodeContext("s3memory/v1/local-wrap", ...pairs.flat());
}

/** The local wrapper; an array of keys, each of which is tried. */
function unwrapLocally(localKeys, wrapped, context) {
  for (const key of localKeys) {
    try {
      return openMessage(key, localContext(context), wrapped);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  throw new Refused("wrap");
}

function ringPlace(ring) {
  const { seal: _, ...body } = ring;
  return { purpose: "s3memory/v1/key-ring", tenant: ring.tenant, name: canonical(body) };
}

function openRing(document, tenant, wrapper) {
  const ring = parseRing(document, tenant);
  demand(ring.wrapper === wrapper.kind, "wrapper");
  const unwrap = ({ generation, wrapped }) => {
    const dataKey = wrapper.unwrap(Buffer.from(wrapped, "base64"), wrapContext(ring, generation));
    demand(dataKey.length === 32, "wrap");
    return { generation, dataKey };
  };
  const newest = unwrap(ring.keys.at(-1));
  let nameKey;
  try {
    nameKey = openSealed(newest.dataKey, newest.generation, ringPlace(ring), Buffer.from(ring.seal, "base64"));
  } catch (error) {
    throw error instanceof Refused ? new Refused("seal") : error;
  }
  demand(nameKey.length === NAME_KEY[ring.name_mode], "seal");
  return { ring, nameKey, unwrapAll: () => ring.keys.map(unwrap) };
}

// --- Reading the vector files ------------------------------------------------------------------------------------

const hex = (text) => Buffer.from(text, "hex");

/** The bytes that a notation stands for; `siblings` are the vectors that it may take slices of. */
function bytesOf(notation, siblings = []) {
  if ("hex" in notation) return hex(notation.hex);
  if ("base64" in notation) return Buffer.from(notation.base64, "base64");
  if ("text" in notation) return Buffer.from(notation.text);
  if ("parts" in notation) return Buffer.concat(notation.parts.map((part) => bytesOf(part, siblings)));
  if ("repeat" in notation) return Buffer.alloc(notation.size_bytes, hex(notation.repeat));
  const whole = siblings.find((vector) => vector.name === notation.of);
  return bytesOf(whole.sealed, siblings).subarray(notation.from, notation.to);
}

function wrapperOf(vector) {
  const { kind, local_keys: localKeys } = vector.wrapper;
  if (kind === "local") return { kind, unwrap: (...wrap) => unwrapLocally(localKeys.map(hex), ...wrap) };
  // In the place of KMS: it gives a data key for exactly its wrap and context.
  const unwrap = (wrapped, context) => {
    const found = (vector.generations ?? []).find(
      (one) => one.wrapped === wrapped.toString("base64") && canonical(one.wrap_context) === canonical(context),
    );
    demand(found, "wrap");
    return hex(found.data_key);
  };
  return { kind, unwrap };
}

const failures = [];
let compared = 0;

function fail(vector, what) {
  failures.push(`${vector.name ?? vector.tcId}: ${what}`);
}

/** Compare a value with what the vector says it is, unless it does not say. */
function equal(vector, what, value, expected) {
  if (expected === undefined) return;
  compared++;
  const is = Buffer.isBuffer(value) && typeof expected === "string" ? value.toString("hex") : value;
  if (!(Buffer.isBuffer(is) ? is.equals(expected) : is === expected)) fail(vector, `${what} is another`);
}

function same(vector, field, value) {
  equal(vector, field, value, vector[field]);
}

function sameDerived(vector, inputKey, salt, context) {
  const derived = derive(inputKey, salt, context);
  same(vector, "context", context);
  for (const field of ["info", "key", "base_nonce", "commitment"]) same(vector, field, derived[field]);
}

const CHECKS = {
  "cobblestone256.json": {
    open: (vector) => openMessage(hex(vector.key), hex(vector.ctx), inflateSync(hex(vector.ct))),
    valid(vector, message) {
      const ciphertext = inflateSync(hex(vector.ct));
      const salt = ciphertext.subarray(0, SALT);
      const derived = derive(hex(vector.key), salt, hex(vector.ctx));
      same(vector, "aeadKey", derived.key);
      same(vector, "baseNonce", derived.base_nonce);
      same(vector, "msgLength", message.length);
      same(vector, "msgSha512", createHash("sha512").update(message).digest());
      equal(vector, "ct", sealMessage(hex(vector.key), salt, hex(vector.ctx), message), ciphertext);
    },
  },

  "envelope.json": {
    open: (vector, siblings) =>
      openSealed(hex(vector.data_key), vector.generation, vector.place, bytesOf(vector.sealed, siblings)),
    valid(vector, plaintext, siblings) {
      const sealed = bytesOf(vector.sealed, siblings);
      const salt = sealed.subarray(HEADER, HEADER + SALT);
      const context = placeContext(header(vector.generation), vector.place);
      sameDerived(vector, hex(vector.data_key), salt, context);
      equal(vector, "plaintext", plaintext, bytesOf(vector.plaintext));
      equal(vector, "sha256", createHash("sha256").update(plaintext).digest(), vector.plaintext.sha256);
      equal(vector, "size", plaintextSize(sealed.length), plaintext.length);
      const message = sealMessage(hex(vector.data_key), salt, context, plaintext);
      equal(vector, "sealed", Buffer.concat([header(vector.generation), message]), sealed);
    },
  },

  "intents.json": {
    open: (vector) => {
      const place = { purpose: "s3memory/v1/intent", tenant: vector.tenant, name: vector.id };
      return parseIntent(openSealed(hex(vector.data_key), vector.generation, place, bytesOf(vector.sealed)));
    },
    valid(vector, intent) {
      const info = intentInfo(vector.tenant, intent);
      equal(vector, "intent", canonical(intent), canonical(vector.intent));
      same(vector, "info", info);
      same(vector, "id", hkdfExpand(hex(vector.data_key), info, 16));
    },
  },

  "names.json": {
    open: ({ mode, name_key: nameKey, tenant, parent = "/memories", encoded }) =>
      mode === "plain" ? decodePlain(parent, encoded) : decodeEncrypted(hex(nameKey), tenant, parent, encoded),
    valid(vector, path) {
      same(vector, "path", path);
      if (vector.mode === "plain") return;
      let parent = "/memories";
      const encoded = segmentsOf(vector.path).map((segment, at) => {
        const associated = nameContext(vector.tenant, parent);
        const siv = syntheticIv(hex(vector.name_key), associated, Buffer.from(segment));
        const ciphertext = sivCtr(hex(vector.name_key), siv, Buffer.from(segment));
        const text = Buffer.concat([siv, ciphertext]).toString("base64url");
        const given = vector.segments?.[at] ?? {};
        equal(vector, "segment", segment, given.segment);
        associated.forEach((one, index) => equal(vector, "associated_data", one, given.associated_data?.[index]));
        equal(vector, "siv", siv, given.siv);
        equal(vector, "ciphertext", ciphertext, given.ciphertext);
        equal(vector, "encoded", text, given.encoded);
        parent += `/${segment}`;
        return text;
      });
      same(vector, "encoded", encoded.join("/"));
    },
  },

  "localwrap.json": {
    open: (vector) => unwrapLocally([hex(vector.local_key)], hex(vector.wrapped), vector.wrap_context),
    valid(vector, dataKey) {
      const context = localContext(vector.wrap_context);
      const salt = hex(vector.wrapped).subarray(0, SALT);
      sameDerived(vector, hex(vector.local_key), salt, context);
      same(vector, "data_key", dataKey);
      same(vector, "wrapped", sealMessage(hex(vector.local_key), salt, context, dataKey));
    },
  },

  "keyrings.json": {
    open: (vector) => openRing(bytesOf(vector.document), vector.tenant, wrapperOf(vector)),
    valid(vector, { ring, nameKey, unwrapAll }) {
      same(vector, "name_mode", ring.name_mode);
      same(vector, "name_key", nameKey);
      equal(vector, "place", canonical(ringPlace(ring)), vector.place && canonical(vector.place));
      unwrapAll().forEach(({ generation, dataKey }, at) => {
        const given = vector.generations?.[at] ?? {};
        equal(vector, "generation", generation, given.generation);
        equal(vector, "data_key", dataKey, given.data_key);
        const context = given.wrap_context && canonical(given.wrap_context);
        equal(vector, "wrap_context", canonical(wrapContext(ring, generation)), context);
      });
    },
  },
};

/** Return the vectors of a file, those that are valid and those that are not. */
function vectorsOf(content) {
  const { valid, invalid, tests = [] } = content;
  return {
    valid: valid ?? tests.filter((test) => test.result === "valid"),
    invalid: invalid ?? tests.filter((test) => test.result === "invalid"),
  };
}

function checkFile(content, check) {
  const { valid, invalid } = vectorsOf(content);
  const before = compared;
  for (const vector of valid) {
    try {
      check.valid(vector, check.open(vector, valid), valid);
    } catch (error) {
      fail(vector, `does not open: ${error.stack}`);
    }
  }
  for (const vector of invalid) {
    try {
      check.open(vector, valid);
      fail(vector, "opens, and should not");
    } catch (error) {
      if (!(error instanceof Refused)) fail(vector, `breaks the reader: ${error.stack}`);
      else if (vector.refused_at) same(vector, "refused_at", error.at);
    }
  }
  return { valid: valid.length, invalid: invalid.length, compared: compared - before };
}

function checkSizes({ sizes, no_sizes: noSizes }) {
  const before = compared;
  for (const [plaintext, sealed] of sizes) {
    equal({ name: plaintext }, "sealed size", sealedSize(plaintext), sealed);
    equal({ name: sealed }, "plaintext size", plaintextSize(sealed), plaintext);
  }
  for (const size of noSizes) {
    try {
      plaintextSize(size);
      fail({ name: size }, "is no size of an object");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  return { valid: sizes.length, invalid: noSizes.length, compared: compared - before };
}

const directory = process.argv[2] ?? dirname(fileURLToPath(import.meta.url));
const files = {};
for (const name of [...Object.keys(CHECKS), "sizes.json"]) {
  const path = join(directory, name);
  if (!existsSync(path)) continue;
  const content = JSON.parse(readFileSync(path, "utf8"));
  files[name] = name in CHECKS ? checkFile(content, CHECKS[name]) : checkSizes(content);
}
console.log(JSON.stringify({ node: process.version, files, failures }, null, 1));
process.exitCode = failures.length > 0 || Object.keys(files).length === 0 ? 1 : 0;
