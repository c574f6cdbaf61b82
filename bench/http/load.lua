-- Calls of `echo` for wrk. Arguments: the wire, its revision, and the sessions to spread the calls over. No id comes
-- twice in one run: a session answers a second request under an open id with an error.

local wire, revision
local sessions = {}
local next_id = 0
local headers = {
  ["content-type"] = "application/json",
  ["accept"] = "application/json, text/event-stream",
}
local tail

function init(args)
  wire, revision = args[1], args[2]
  for at = 3, #args do sessions[#sessions + 1] = args[at] end
  headers["mcp-protocol-version"] = revision
  tail = ',"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello there"}'
  if wire == "stateless" then
    headers["mcp-method"] = "tools/call"
    headers["mcp-name"] = "echo"
    tail = tail .. ',"_meta":{"io.modelcontextprotocol/protocolVersion":"' .. revision ..
      '","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"}' ..
      ',"io.modelcontextprotocol/clientCapabilities":{}}'
  end
  tail = tail .. "}}"
end

function request()
  next_id = next_id + 1
  if #sessions > 0 then headers["mcp-session-id"] = sessions[next_id % #sessions + 1] end
  return wrk.format("POST", nil, headers, '{"jsonrpc":"2.0","id":' .. next_id .. tail)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'JSON{"requests":%d,"microseconds":%d,"errors":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
