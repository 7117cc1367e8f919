-- For wrk: every connection waits a second before its first request, and by then all are open.
local unopened = 0

function init(args)
  unopened = tonumber(args[1])
end

-- Called before each request of each connection.
function delay()
  if unopened == 0 then return 0 end
  unopened = unopened - 1
  return 1000
end
