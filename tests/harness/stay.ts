// Keeps a test's process alive where nothing but time would be waited for, as a server's connections do.

/** Stays until it is disposed of. */
export function stay(): Disposable {
  const timer = setInterval(() => {}, 1_000);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
