// What every mode loads before its first answer, named in one place. Nothing needs this list but the start: for each
// module that Deno has not met yet it reads the emitted text of the importing file once more, and that is long, source
// map included, for all files but this one. The modes' own files import it first; a test keeps it complete.

import "../gateway/audience.ts";
import "../gateway/connection.ts";
import "../gateway/exchange.ts";
import "../gateway/gateway.ts";
import "../gateway/guard.ts";
import "../gateway/handshake.ts";
import "../gateway/limits.ts";
import "../gateway/log.ts";
import "../gateway/reply.ts";
import "../gateway/serve_lines.ts";
import "../gateway/session.ts";
import "../gateway/stateless.ts";
import "../jsonrpc/message.ts";
import "../jsonrpc/pending.ts";
import "../mcp/codec.ts";
import "../mcp/params.ts";
import "../mcp/revision.ts";
import "../transport/lines.ts";
