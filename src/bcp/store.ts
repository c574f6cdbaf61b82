/**
 * Content addressing: bodies kept once under their BLAKE3 hash, and the file such a store is kept in.
 * The reference has no store file, so this layout is this project's own; see docs/bcp.md.
 */
import { blake3 } from "@noble/hashes/blake3.js";
import { BcpSyntaxError, truncated } from "./error.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";

/** Size of a BLAKE3 hash, and so of a reference's body. */
export const HASH_BYTES = 32;

const STORE_MAGIC = Uint8Array.of(0x42, 0x43, 0x50, 0x53, 0x01);

/** Bodies by hash. It only grows. */
export class ContentStore {
  readonly #bodies = new Map<string, Uint8Array>();

  /** How many different bodies it holds. */
  get size(): number {
    return this.#bodies.size;
  }

  find(hash: Uint8Array): Uint8Array | undefined {
    return this.#bodies.get(hash.toHex());
  }

  /** Keeps `body`, which must not change afterwards, and returns its hash. */
  add(body: Uint8Array): Uint8Array {
    const hash = blake3(body);
    this.#bodies.set(hash.toHex(), body);
    return hash;
  }

  /** All bodies, oldest first. */
  bodies(): Iterable<Uint8Array> {
    return this.#bodies.values();
  }
}

/** BLAKE3 of a body. */
export function hashBody(body: Uint8Array): Uint8Array {
  return blake3(body);
}

/** The store as the bytes of a file: magic, then each body behind its hash and length. */
export function encodeStore(store: ContentStore): Uint8Array {
  const writer = new ByteWriter();
  writer.raw(STORE_MAGIC);
  for (const body of store.bodies()) {
    writer.raw(hashBody(body));
    writer.prefixed(body);
  }
  return writer.take();
}

/**
 * Reads a store file, checking every hash: a store that lies is worse than none.
 *
 * @throws {BcpSyntaxError} when it is no store, is cut short, or a body does not match its hash.
 */
export function decodeStore(bytes: Uint8Array): ContentStore {
  if (STORE_MAGIC.some((byte, i) => bytes[i] !== byte)) {
    throw new BcpSyntaxError("not a content store", { code: "store", offset: 0 });
  }
  const store = new ContentStore();
  const reader = new ByteReader(bytes, STORE_MAGIC.length);
  while (reader.remaining > 0) {
    const start = reader.position;
    if (reader.remaining < HASH_BYTES) throw truncated(bytes.length, bytes.length);
    reader.position += HASH_BYTES;
    const length = reader.varint();
    if (length > reader.remaining) throw truncated(bytes.length, bytes.length);
    const body = bytes.subarray(reader.position, reader.position + Number(length));
    reader.position += Number(length);
    const hash = store.add(body);
    if (hash.some((byte, i) => bytes[start + i] !== byte)) {
      const message = "content store entry does not match its BLAKE3 hash";
      throw new BcpSyntaxError(message, { code: "store", offset: start });
    }
  }
  return store;
}
