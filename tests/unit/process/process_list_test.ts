import { assertEquals } from "@std/assert";
import { findTree, parseProcesses } from "../../../src/process/process_list.ts";

const TIME = "Mon Nov 16 03:18:03 2026";
const LISTED = [
  `    1     0     1 Ss   ${TIME} /sbin/init`,
  `  100     1   100 Sl   ${TIME} deno run server BULKHEAD_LAUNCH=other`,
  `  101   100   100 S    ${TIME} tool BULKHEAD_LAUNCH=m.1 PATH=/bin`,
  `  102   101   100 S    ${TIME} wiped child`,
  `  103   102   103 Ss   ${TIME} wiped session`,
  `  104     1   103 S    ${TIME} wiped orphan of the session`,
  `  105     1   105 Ss   ${TIME} stranger`,
  `  106   101   100 Z    ${TIME} [tool] <defunct>`,
  `  107   100   100 S    ${TIME} sibling BULKHEAD_LAUNCH=m.2`,
  "garbage",
].join("\n");

Deno.test("parseProcesses() reads numbers, times and the mark, and leaves out what has ended", () => {
  const processes = parseProcesses(LISTED, "m.1");
  assertEquals(processes.map(({ pid }) => pid), [1, 100, 101, 102, 103, 104, 105, 107]);
  assertEquals(processes.filter(({ isMarked }) => isMarked).map(({ pid }) => pid), [101]);
  assertEquals(parseProcesses(LISTED, "").some(({ isMarked }) => isMarked), false);
});

Deno.test("findTree() finds children and groups of what carries the mark, and nobody else", () => {
  const processes = parseProcesses(LISTED, "m.1");
  assertEquals(findTree(processes, []).map(({ pid }) => pid), [101, 102, 103, 104]);
});

Deno.test("findTree() knows what it saw before, but not another process with the same number", () => {
  const unmarked = parseProcesses(LISTED, "none");
  const seen = unmarked.filter(({ pid }) => pid === 105);
  assertEquals(findTree(unmarked, seen).map(({ pid }) => pid), [105]);
  const later = seen.map((process) => ({ ...process, started: "Tue Nov 17 03:18:03 2026 " }));
  assertEquals(findTree(unmarked, later), []);
});
