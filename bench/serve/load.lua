-- For wrk: sends the lines of the file SENTENCES to /translate, one after another, and prints a line
-- of JSON in the end.
local bodies = {}
for line in io.lines(os.getenv("SENTENCES")) do
  bodies[#bodies + 1] = '{"q":"' .. line .. '","source":"en","target":"de"}'
end

local headers = { ["Content-Type"] = "application/json" }
local at = 0

function request()
  at = at % #bodies + 1
  return wrk.format("POST", "/translate", headers, bodies[at])
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.3f,"p50_ms":%.2f,"p99_ms":%.2f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
