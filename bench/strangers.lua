-- For wrk: strangers who read the given pages in turn, from so many addresses in front of a trusted proxy.
local addresses, pages, asked = 1, {}, 0

function init(args)
  addresses = tonumber(args[1])
  for at = 2, #args do pages[#pages + 1] = args[at] end
end

function request()
  asked = asked + 1
  local headers = {["X-Forwarded-For"] = "203.0.113." .. asked % addresses, ["Accept-Encoding"] = "gzip"}
  return wrk.format("GET", pages[asked % #pages + 1], headers)
end
