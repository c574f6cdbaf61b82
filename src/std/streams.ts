// Stands in for the parts of `@std/streams` that this project uses, so that everything installs
// from an npm registry alone. `import_map.jsr.json` puts the original in its place; both behave
// the same, and this file holds no cleverness.

/** Options of {@linkcode TextLineStream}. */
export interface TextLineStreamOptions {
  /** Also end a line at a lone `\r`; off unless set. */
  allowCR?: boolean;
}

/** The end of a line in `text` at or after `from`, or undefined when the line is not over yet. */
function findLineEnd(
  text: string,
  from: number,
  allowCR: boolean,
): { end: number; next: number } | undefined {
  const lf = text.indexOf("\n", from);
  const cr = allowCR ? text.indexOf("\r", from) : -1;
  // A "\r" at the very end may be the first half of a "\r\n": the next chunk tells.
  const isLoneCr = cr !== -1 && cr !== text.length - 1 && (lf === -1 || cr < lf - 1);
  if (isLoneCr) return { end: cr, next: cr + 1 };
  if (lf === -1) return undefined;
  const end = lf > from && text[lf - 1] === "\r" ? lf - 1 : lf;
  return { end, next: lf + 1 };
}

/**
 * Splits a stream of text into lines at `\n` and `\r\n`; the line ends are left out. An empty
 * rest after the last line end is no line. It has no bound of its own: limit what is piped in.
 */
export class TextLineStream extends TransformStream<string, string> {
  /** Makes the two ends of the stream; see {@linkcode TextLineStreamOptions}. */
  constructor(options: TextLineStreamOptions = {}) {
    const allowCR = options.allowCR ?? false;
    let rest = "";
    super({
      transform(chunk, controller): void {
        const text = rest + chunk;
        let from = 0;
        let line = findLineEnd(text, from, allowCR);
        while (line !== undefined) {
          controller.enqueue(text.slice(from, line.end));
          from = line.next;
          line = findLineEnd(text, from, allowCR);
        }
        rest = text.slice(from);
      },
      flush(controller): void {
        if (rest === "") return;
        controller.enqueue(allowCR && rest.endsWith("\r") ? rest.slice(0, -1) : rest);
      },
    });
  }
}

/** Reads a stream to its end and returns all of it as one string; bytes are decoded as UTF-8. */
export async function toText(
  stream: ReadableStream<string> | ReadableStream<Uint8Array>,
): Promise<string> {
  const decoder = new TextDecoder();
  const chunks: string[] = [];
  const reader: ReadableStreamDefaultReader<string | Uint8Array> = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const chunk = read.value;
    chunks.push(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }));
  }
  chunks.push(decoder.decode());
  return chunks.join("");
}
